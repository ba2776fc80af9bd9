"""An extension of mkdocstrings: the package's docstrings as Markdown.

References such as ``:class:`Reply``` become links if the name is public, and sessions that begin
with ``>>>`` become code blocks. A struct of msgspec gets the signature that its fields give it.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|data|attr|exc|obj):`~?([\w.]+)`")
_SESSION = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)


class MarkdownDocstrings(griffe.Extension):
    """Rewrites each docstring before it is parsed."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Rewrite the docstrings of a package."""
        self._public = {
            name for name, member in pkg.members.items() if member.is_alias and name[0] != "_"
        }
        self._rewrite(pkg)

    def _rewrite(self, owner: griffe.Object) -> None:
        if owner.docstring:
            text = _ROLE.sub(self._reference, owner.docstring.value)
            owner.docstring.value = _SESSION.sub(r"```pycon\n\g<0>\n```", text)
        if owner.is_class and any(str(base) == "Struct" for base in owner.bases):
            owner.set_member("__init__", _struct_signature(owner))
        for member in owner.members.values():
            if not member.is_alias:
                self._rewrite(member)

    def _reference(self, found: re.Match[str]) -> str:
        name = found[1].rpartition(".")[2]
        return f"[`{name}`][anaphora.{name}]" if name in self._public else f"`{name}`"


def _struct_signature(owner: griffe.Class) -> griffe.Function:
    fields = (one for one in owner.attributes.values() if "instance-attribute" in one.labels)
    parameters = (
        griffe.Parameter(
            one.name,
            annotation=one.annotation,
            default=one.value,
            kind=griffe.ParameterKind.positional_or_keyword,
        )
        for one in fields
        if not one.name.startswith("_")
    )
    return griffe.Function("__init__", parameters=griffe.Parameters(*parameters), parent=owner)
