"""Port the code of a bot: what its model names in Java becomes functions of a Python module."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anaphora.errors import GrammarError
from anaphora.grammar.idl.compiler import Compiler
from anaphora.grammar.idl.imports import ImportedText
from anaphora.grammar.idl.intent import Intent, Term
from anaphora.grammar.python_functions import FunctionLoader
from anaphora.models.nlpcraft.entities.third_party_tokens import PROVIDERS
from anaphora.models.nlpcraft.intent_texts import read_resource
from anaphora.models.nlpcraft.porting.java_source import JavaCallback, JavaSource
from anaphora.models.nlpcraft.porting.skeleton import (
    SkeletonFunction,
    make_function_name,
    print_skeleton,
)
from anaphora.models.nlpcraft.rules.model import make_id
from anaphora.models.nlpcraft.translation import Translation
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    elements_by_id,
    mappings_in,
    scalars_in,
)
from anaphora.models.schema.builtin_entities import is_builtin_name

__all__ = ["Port", "port_code"]

_METHOD = re.compile(r"(flow\s*=\s*)?/([\w.$]*)#(\w+)/")
_CONTEXT = "Other parameters are filled as well: match, text, data, conversation, user, at."


@dataclass(frozen=True, slots=True)
class Port:
    """The text of the Python module ('' if the model needs none), and the callbacks of the sources
    whose intents the model lacks."""

    skeleton: str
    unknown: tuple[str, ...] = ()


def port_code(
    translation: Translation,
    original: MappingNode,
    sources: Sequence[JavaSource],
    *,
    title: str,
    module: str,
    folder: Path | None = None,
) -> Port:
    """Write the skeleton of the Python ``module`` and name its functions in the translated model:
    the handler of each intent, the value loaders, and the methods that intents name.

    ``original`` is the tree of the original file, ``title`` its name. ``folder`` is that of the
    imports.
    """
    root = translation.root
    intents = _find_intents(root, translation.intents.rewrite, folder)
    callbacks = [(one, source) for source in sources for one in source.callbacks]
    functions: dict[str, SkeletonFunction] = {}
    handlers: dict[str, str] = {}
    unknown: list[str] = []
    for callback, source in callbacks:
        answered = [id for id in _answered_ids(callback) if id not in handlers]
        known = [intents[id] for id in answered if id in intents]
        unknown += [f"{callback.name}: {id}" for id in answered if id not in intents]
        if known:
            name = make_function_name(callback.name, functions)
            functions[name] = _build_handler(name, known, callback, source)
            handlers |= {intent.id: name for intent in known}
    for intent in intents.values():
        if intent.id not in handlers:
            name = make_function_name(f"on_{intent.id}", functions)
            functions[name] = _build_handler(name, [intent])
            handlers[intent.id] = name
    _add_handlers(root, handlers, module)
    for loader in _port_loaders(root, original, sources, module, functions):
        functions[loader.name] = loader
    for finder in _add_finders(root, intents.values(), module, functions):
        functions[finder.name] = finder
    for method in _port_methods(root, module, functions, FunctionLoader(folder=folder)):
        functions[method.name] = method
    _add_samples(root, callbacks, handlers)
    skeleton = print_skeleton(title, functions.values()) if functions else ""
    return Port(skeleton, tuple(unknown))


class _AnyFunction(FunctionLoader):
    """Finds any function: the skeleton will have it."""

    __slots__ = ()

    def find(self, module: str, name: str) -> Callable[..., Any]:
        return lambda argument: False


def _find_intents(
    root: MappingNode, rewrite: Callable[[str], str], folder: Path | None
) -> dict[str, Intent]:
    def read(location: str, folder: Path | None) -> ImportedText:
        found = read_resource(location, folder)
        return found._replace(text=rewrite(found.text))

    compiler = Compiler(code=_AnyFunction(), folder=folder, read=read, lenient=True)
    found: dict[str, Intent] = {}
    for text in _iter_intent_texts(root):
        try:
            compiled = compiler.compile(text.text)
        except GrammarError:
            continue  # reported when the model is loaded
        for intent in compiled.intents:
            found.setdefault(intent.id, intent)
    return found


def _iter_intent_texts(root: MappingNode) -> Iterator[ScalarNode]:
    listed = root.items.get("intents")
    items = listed.items if isinstance(listed, SequenceNode) else ()
    yield from (item for item in items if isinstance(item, ScalarNode))


def _answered_ids(callback: JavaCallback) -> Iterator[str]:
    yield from callback.refs
    for text in callback.idl:
        yield from re.findall(r"\bintent\s*=\s*([\w$:-]+)", text)


def _build_handler(
    name: str,
    intents: Sequence[Intent],
    callback: JavaCallback | None = None,
    source: JavaSource | None = None,
) -> SkeletonFunction:
    java_names = {one.term: one.name for one in callback.parameters} if callback else {}
    language = source.language if source else "Java"
    terms = {term.id: term for term in intents[0].terms if term.id is not None}
    for intent in intents[1:]:
        terms = {id: term for id, term in terms.items() if intent.term(id)}
    if callback and callback.parameters:
        terms = {id: term for id, term in terms.items() if id in java_names}
    named = [id for id in terms if _is_parameter(id)]
    parameters = (*named, "**slots") if len(named) < len(terms) else tuple(named)
    notes: list[str] = []
    if callback and source:
        place = f"{source.name}, line {callback.line}"
        owner = f"{callback.owner}, " if callback.owner else ""
        notes += [f"In {source.language} ({owner}{place}):", ""]
        notes += [f"    {callback.signature}", ""]
    for id, term in terms.items():
        where = id if id in named else f"slots.get({id!r})"
        java = f" ({java_names[id]} in {language})" if java_names.get(id) else ""
        notes.append(f"{where}: {_describe_term(term)}{java}.")
    if terms:
        notes.append("")
    notes.append(_CONTEXT)
    ids = ", ".join(f"'{intent.id}'" for intent in intents)
    summary = f"Answer the intent{'s' if len(intents) > 1 else ''} {ids}."
    comment = "to be ported: a text is the answer, None leaves it to the model's response"
    return SkeletonFunction(name, parameters, summary, tuple(notes), "None", comment)


def _is_parameter(id: str) -> bool:
    return id.isidentifier() and not keyword.iskeyword(id)


def _describe_term(term: Term) -> str:
    if term.max > 1:
        return "a list of values" if term.min else "a list of values, or None"
    return "its value" if term.min else "its value, or None"


def _add_handlers(root: MappingNode, handlers: dict[str, str], module: str) -> None:
    at = root.start
    known = root.items.get("handlers")
    items: dict[str, Node] = dict(known.items) if isinstance(known, MappingNode) else {}
    for id, name in handlers.items():
        items.setdefault(id, ScalarNode(at, at, f"{module}#{name}", '"'))
    if items:
        root.items["handlers"] = MappingNode(at, items, dict.fromkeys(items, at))
        root.key_offsets.setdefault("handlers", at)


def _port_loaders(
    root: MappingNode,
    original: MappingNode,
    sources: Sequence[JavaSource],
    module: str,
    functions: dict[str, SkeletonFunction],
) -> Iterator[SkeletonFunction]:
    """A function for each value loader in Java; elements with the same one share it."""
    elements = elements_by_id(root)
    loaders: dict[str, list[str]] = {}
    for element in mappings_in(original.items.get("elements")):
        loader = element.items.get("valueLoader")
        id = element.items.get("id") or element.items.get("type")
        if not (isinstance(loader, ScalarNode) and isinstance(id, ScalarNode)):
            continue
        if loader.text.strip() and "#" not in loader.text and id.text in elements:
            loaders.setdefault(loader.text.strip(), []).append(id.text)
    taken = set(functions)
    for java, ids in loaders.items():
        bare = java.rpartition(".")[2].rpartition("$")[2]
        name = make_function_name(f"load_{ids[0] if len(ids) == 1 else bare}", taken)
        taken.add(name)
        for owner in (elements[one] for one in ids):
            reference = ScalarNode(owner.start, owner.start, f"{module}#{name}", '"')
            owner.items["value_loader"] = reference
            owner.key_offsets["value_loader"] = owner.start
        source = next((one for one in sources if bare in one.loaders), None)
        place = f", {source.name}, line {source.loaders[bare]}" if source else ""
        notes = (
            f"In {source.language if source else 'Java'}: {java}{place},",
            "    Set<NCValue> load(NCElement owner)",
            "",
            "Return a mapping from the names of values to lists of synonyms, or a list of names.",
        )
        named = ", ".join(f"'{id}'" for id in ids)
        summary = f"Load the values of the element{'s' if len(ids) > 1 else ''} {named}."
        yield SkeletonFunction(name, ("element",), summary, notes, "{}", "to be ported")


def _add_finders(
    root: MappingNode,
    intents: Iterable[Intent],
    module: str,
    functions: dict[str, SkeletonFunction],
) -> Iterator[SkeletonFunction]:
    """A function for each element that intents name and the file does not declare: in NLPCraft 1.0
    parsers in the code of the bot find such entities."""
    at = root.start
    declared = {*elements_by_id(root), *scalars_in(root.items.get("entities"))}
    mentions = {name for intent in intents for kind, name in intent.mentions if kind == "element"}
    taken = set(functions)
    for id in sorted(mentions - declared):
        if id.startswith(("nlpcraft:", *PROVIDERS)) or is_builtin_name(id) or make_id(id) != id:
            continue
        name = make_function_name(f"find_{id}", taken)
        taken.add(name)
        items: dict[str, Node] = {
            "id": ScalarNode(at, at, id, '"'),
            "id_synonym": ScalarNode(at, at, "false", ""),
            "recognizer": ScalarNode(at, at, f"{module}#{name}", '"'),
        }
        known = root.items.get("elements")
        listed = known.items if isinstance(known, SequenceNode) else []
        element = MappingNode(at, items, dict.fromkeys(items, at))
        root.items["elements"] = SequenceNode(at, [*listed, element])
        root.key_offsets.setdefault("elements", at)
        notes = (
            "The model does not declare it: in NLPCraft a parser in the code may find it.",
            "",
            "Yield an anaphora.Mention(start, end, value) for each.",
        )
        summary = f"Find the entities of the element '{id}' in a text."
        yield SkeletonFunction(name, ("text",), summary, notes, "()", "to be ported")


def _port_methods(
    root: MappingNode, module: str, functions: dict[str, SkeletonFunction], code: FunctionLoader
) -> Iterator[SkeletonFunction]:
    """A function for each Java method that intents name; the texts name the function instead.
    Python functions that ``code`` finds stay."""
    names: dict[tuple[str, bool], str] = {}
    found: list[SkeletonFunction] = []
    taken = set(functions)

    def rename(method: re.Match[str]) -> str:
        java, is_flow = f"{method[2]}#{method[3]}", bool(method[1])
        with suppress(GrammarError):
            code.find(method[2], method[3])
            return method[0]
        if (java, is_flow) not in names:
            name = names[java, is_flow] = make_function_name(method[3], taken)
            taken.add(name)
            found.append(_build_method(name, java, is_flow=is_flow))
        return f"{method[1] or ''}/{module}#{names[java, is_flow]}/"

    listed = root.items.get("intents")
    if isinstance(listed, SequenceNode):
        listed.items[:] = [
            ScalarNode(item.start, item.end, _METHOD.sub(rename, item.text), item.style)
            if isinstance(item, ScalarNode)
            else item
            for item in listed.items
        ]
    yield from found


def _build_method(name: str, java: str, *, is_flow: bool) -> SkeletonFunction:
    if is_flow:
        summary = "Whether the intent may follow the past matches, oldest first."
        flow_notes = (f"In Java: {java}", "", "Each match has intent (its id) and at (its time).")
        return SkeletonFunction(name, ("matches",), summary, flow_notes, "True", "to be ported")
    summary = "Whether the entity fits the term."
    notes = (
        f"In Java: {java}",
        "",
        "entity has element, groups, value, text and meta; question, a second parameter that it",
        "may have, text, user, request and conversation_data.",
    )
    return SkeletonFunction(name, ("entity",), summary, notes, "False", "to be ported")


def _add_samples(
    root: MappingNode,
    callbacks: Iterable[tuple[JavaCallback, JavaSource]],
    handlers: dict[str, str],
) -> None:
    """Add the sample utterances as dialogs."""
    at = root.start
    dialogs: list[Node] = []
    for callback, _ in callbacks:
        id = next((one for one in _answered_ids(callback) if one in handlers), "")
        for texts in callback.samples if id else ():
            steps: list[Node] = []
            for text in texts:
                items: dict[str, Node] = {
                    "ask": ScalarNode(at, at, text, '"'),
                    "intent": ScalarNode(at, at, id, '"'),
                }
                steps.append(MappingNode(at, items, dict.fromkeys(items, at)))
            dialogs.append(MappingNode(at, {"dialog": SequenceNode(at, steps)}, {"dialog": at}))
    known = root.items.get("samples")
    if dialogs and (known is None or isinstance(known, SequenceNode)):
        root.items["samples"] = SequenceNode(at, [*(known.items if known else ()), *dialogs])
        root.key_offsets.setdefault("samples", at)
