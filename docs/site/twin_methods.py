"""An extension of mkdocstrings: methods that a class builds from other functions.

``ask = _in_order(Engine.ask)`` builds a method from a function, whose signature and docstring it
has. Without running the package, it is only an attribute, which the reference would not show.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_REQUEST = re.compile(r"ApiRequest\[(.*)\]")


class TwinMethods(griffe.Extension):
    """Replaces such attributes by functions. The docstrings are already rewritten."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Replace the attributes of all classes of a package."""
        _add_twins(pkg, pkg)


def _add_twins(owner: griffe.Object, package: griffe.Module) -> None:
    for name, member in list(owner.members.items()):
        if member.is_alias or name.startswith("_"):
            continue
        if owner.is_class and isinstance(member, griffe.Attribute):
            if twin := _build_twin(member, package):
                owner.set_member(name, twin)
        elif owner.is_class and isinstance(member, griffe.Function) and not member.docstring:
            for decorator in member.decorators:
                if found := _argument(decorator.value, owner, package):
                    member.docstring = found.docstring
        elif member.is_module or member.is_class:
            _add_twins(member, package)


def _build_twin(attribute: griffe.Attribute, package: griffe.Module) -> griffe.Function | None:
    call, owner = attribute.value, attribute.parent
    if owner is None or (original := _argument(call, owner, package)) is None:
        return None
    factory = package[_path(str(call.function), owner)]
    *_, result = factory.returns.slice.elements  # Callable[[…], result]
    is_generic = re.search(r"\b_[A-Z]", str(result))
    request = _REQUEST.fullmatch(str(original.returns))
    twin = griffe.Function(
        attribute.name,
        parameters=griffe.Parameters(
            *(one for one in original.parameters if str(one.annotation) != "AgentRef")
        ),
        returns=(request[1] if request else original.returns) if is_generic else result,
        docstring=original.docstring,
        lineno=attribute.lineno,
        endlineno=attribute.endlineno,
        parent=owner,
    )
    if str(result).startswith("Coroutine"):
        twin.labels.add("async")
    return twin


def _argument(call: object, owner: griffe.Object, package: griffe.Module) -> griffe.Function | None:
    """The only argument of a call to a private function, if it is a function of the package."""
    if not isinstance(call, griffe.ExprCall) or not str(call.function).startswith("_"):
        return None
    try:
        (argument,) = call.arguments
        found = package[_path(str(argument), owner)]
    except (ValueError, KeyError, griffe.NameResolutionError):
        return None
    return found if isinstance(found, griffe.Function) else None


def _path(name: str, owner: griffe.Object) -> str:
    """The path of a name in the scope of a class, within the package."""
    first, dot, rest = name.partition(".")
    return owner.resolve(first).partition(".")[2] + dot + rest
