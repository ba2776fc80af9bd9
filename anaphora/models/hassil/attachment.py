"""Add the sentences that a model file names to the model: their elements, intents and lists."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import yaml
from msgspec import Struct
from msgspec.msgpack import Decoder, encode

from anaphora.errors import GrammarError, ModelError, Problem
from anaphora.frozen import freeze
from anaphora.models.hassil.builder import HOME_LISTS
from anaphora.models.hassil.collection import SentenceCollection, SlotList
from anaphora.models.hassil.elements import build_elements, build_intents
from anaphora.models.hassil.home import Home
from anaphora.models.hassil.home_reader import build_home, read_home
from anaphora.models.hassil.reader import (
    PACKAGED,
    digest_input,
    find_sentence_files,
    is_sentence_file,
    read_collection,
    read_packaged_collection,
)
from anaphora.models.hassil.summary import (
    CollectionSummary,
    HomeSentences,
    collection_parts,
    summarize,
)
from anaphora.models.reading.files import file_format, read_text
from anaphora.models.reading.json_reader import read_json
from anaphora.models.reading.nodes import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    elements_by_id,
)
from anaphora.models.reading.source import FileDiagnostics, SourceText
from anaphora.models.reading.yaml_reader import read_yaml
from anaphora.storage.cache import Cache

__all__ = [
    "PACKAGED",
    "attach_sentences",
    "describe_sentence_model",
    "is_sentence_source",
    "sentences_from_data",
    "sentences_to_data",
    "wrap_sentence_file",
]


class _Reading(Struct, frozen=True, array_like=True):
    """A collection that was read, and the warnings of its files."""

    collection: SentenceCollection
    warnings: tuple[Problem, ...] = ()


_READING = Decoder(_Reading, dec_hook=lambda _, data: freeze(data))
_LISTS = Decoder(dict[str, SlotList], dec_hook=lambda _, data: freeze(data))
_SUMMARY = Decoder(CollectionSummary, dec_hook=lambda _, data: freeze(data))


def attach_sentences(
    root: MappingNode,
    diagnostics: FileDiagnostics,
    folder: Path | None,
    home: Home | None,
    cache: Cache | None = None,
) -> tuple[MappingNode, HomeSentences | None]:
    """Add the elements and intents of the sentences under the key ``sentences`` to the tree of a
    model, except those that it declares itself. Returns the new tree and the sentences.

    Files are relative to ``folder``. A ``home`` that is given takes the place of the model's. A
    ``cache`` keeps what is read, whatever the home. Raises :class:`ModelError` with the errors of
    the sentences.
    """
    named = root.items.get("sentences")
    if named is None:
        return root, None
    _check_language(root, diagnostics)
    inputs = {name: digest_input(name) for name in _input_names(named, root, folder)}
    language = _language(root)
    source = repr((language, sorted(inputs.items())))
    parts = collection_parts(cache, source)

    def read() -> _Reading:
        return _read(named, language, folder, diagnostics)

    reading = parts.load_or_make("collection", _READING, read)
    diagnostics.add_imported("warning", named.start, reading.warnings)
    collection = reading.collection
    home = home or _find_home(root, diagnostics, folder, _find_domains(collection))
    try:
        lists = home.to_lists()
    except GrammarError as error:
        diagnostics.raise_if_any()
        problem = error.problems[0]
        message = f"a name of the home is a broken template: {problem.message}"
        diagnostics.abort(root.items.get("home", named).start, message, problem.hint)
    summary = parts.load_or_make("summary", _SUMMARY, lambda: summarize(collection))
    known = elements_by_id(root)
    elements = [one for one in build_elements(collection, summary, lists) if one["id"] not in known]
    items = dict(root.items)
    items["elements"] = _extended(items.get("elements"), elements, named.start)
    items["intents"] = _extended(items.get("intents"), build_intents(summary), named.start)
    builtin = items.get("entities")
    if builtin is None:
        items["entities"] = _to_node(["number"], named.start)
    offsets = dict.fromkeys(items, named.start) | root.key_offsets
    return MappingNode(root.start, items, offsets), HomeSentences(
        collection, summary, lists, inputs, source, cache
    )


def sentences_to_data(sentences: HomeSentences) -> dict[str, Any]:
    """Plain data from which a cache with the collection restores sentences. Raises ValueError or
    TypeError for lists of a home that are no plain data."""
    lists = encode(sentences.lists)
    if _LISTS.decode(lists) != sentences.lists:
        raise ValueError("the lists do not survive a round trip")
    return {"inputs": dict(sentences.inputs), "source": sentences.source, "lists": lists}


def sentences_from_data(data: Mapping[str, Any], cache: Cache) -> HomeSentences | None:
    """Restore sentences; None if ``cache`` lacks the collection, or if what it was read from has
    changed. Raises LookupError, TypeError or :class:`msgspec.MsgspecError` for foreign data."""
    inputs = data["inputs"]
    if not all(state and digest_input(name) == state for name, state in inputs.items()):
        return None
    parts = collection_parts(cache, data["source"])
    reading, summary = parts.load("collection", _READING), parts.load("summary", _SUMMARY)
    if reading is None or summary is None:
        return None
    lists = _LISTS.decode(data["lists"])
    return HomeSentences(reading.collection, summary, lists, inputs, data["source"], cache)


def is_sentence_source(source: str | Path) -> bool:
    """Whether a source may be no file: Home Assistant's own sentences, or a folder of some."""
    try:
        return str(source).partition(":")[0] == PACKAGED or Path(source).is_dir()
    except (OSError, ValueError):  # a name that no file can have
        return False


def describe_sentence_model(source: str | Path) -> str | None:
    """The text of a model file for what is none: a folder of sentences, or Home Assistant's own
    (``home-assistant:en``). None for other sources."""
    name, _, language = str(source).partition(":")
    if name == PACKAGED:
        language = language or "en"
        data = {"id": PACKAGED, "language": _model_language(language), "sentences": str(source)}
        return yaml.safe_dump(data)
    path = Path(source)
    try:
        files = find_sentence_files(path) if path.is_dir() else []
    except (OSError, ValueError):  # a name that no file can have
        return None
    trees = list(map(_read_tree, files))
    if not any(tree is not None and is_sentence_file(tree) for tree in trees):
        return None
    language = next(filter(None, map(_find_language, trees)), "en")
    described: dict[str, Any] = {
        "id": make_identifier(path),
        "language": _model_language(language),
        "sentences": [str(path)],
    }
    return yaml.safe_dump(described, allow_unicode=True)


def wrap_sentence_file(root: MappingNode, path: Path) -> MappingNode:
    """The tree of a model whose sentences are those of a file in hassil's format."""
    language = _model_language(_language(root))
    data = {"id": make_identifier(path), "language": language, "sentences": str(path)}
    node = _to_node(data, root.start)
    assert isinstance(node, MappingNode)
    return node


def make_identifier(path: Path) -> str:
    """An id for a model, from the name of its file or folder."""
    found = re.sub(r"[^\w-]+", "-", path.resolve().stem).strip("-")
    return found if found[:1].isalpha() else f"home-{found}".rstrip("-")


def _read_tree(path: Path) -> Node | None:
    """The tree of a file; None if it cannot be read: the collection reports why."""
    try:
        diagnostics = FileDiagnostics(SourceText(str(path), read_text(path)))
        return read_json(diagnostics) if file_format(path) == "json" else read_yaml(diagnostics)
    except ModelError:
        return None


def _find_language(root: Node | None) -> str:
    return _language(root) if isinstance(root, MappingNode) and "language" in root.items else ""


def _model_language(tag: str) -> str:
    """The tag of a language as model files have it: with a region, but without a script. 'xx', if
    spaCy does not know the language: its sentences are read all the same."""
    code = tag.partition("-")[0]
    if code not in _spacy_languages():
        return "xx"
    return tag if re.fullmatch("[a-z]{2,3}(-[A-Z]{2})?", tag) else code


@cache
def _spacy_languages() -> frozenset[str]:
    """The codes of the languages that spaCy knows, without importing it."""
    found = importlib.util.find_spec("spacy")
    folders = (
        [Path(one) / "lang" for one in found.submodule_search_locations or ()] if found else []
    )
    return frozenset(one.name for folder in folders for one in iter_modules([str(folder)]))


def _find_domains(collection: SentenceCollection) -> set[str]:
    """The domains that the sentences require of devices."""
    rules = (block.requires.get("domain") for block in collection.blocks)
    return {str(value) for rule in rules if rule for value in rule.values or ()}


def _find_home(
    root: MappingNode, diagnostics: FileDiagnostics, folder: Path | None, domains: set[str]
) -> Home:
    written = root.items.get("home")
    if written is None:
        return Home()
    if not isinstance(written, ScalarNode):
        return build_home(written, diagnostics, domains)
    path = _find(written, folder, diagnostics)
    try:
        home, warnings = read_home(path, domains)
    except ModelError as error:
        problem = error.problems[0]
        if problem.line:
            raise
        # The file cannot be read at all: what names it is wrong.
        message = f"the home {problem.source or written.text}: {problem.message}"
        diagnostics.abort(written.start, message, problem.hint)
    diagnostics.add_imported("warning", written.start, warnings)
    return home


def _check_language(root: MappingNode, diagnostics: FileDiagnostics) -> None:
    """Refuse several languages: a collection of sentences has one."""
    written = root.items.get("language")
    if isinstance(written, SequenceNode) and len(written.items) > 1:
        message = "a model with sentences has one language"
        hint = "write a model file for each language; both may name the same file as their home"
        diagnostics.abort(written.items[1].start, message, hint)


def _language(root: MappingNode) -> str:
    written = root.items.get("language")
    if isinstance(written, SequenceNode) and written.items:
        written = written.items[0]
    return written.text if isinstance(written, ScalarNode) else "en"


def _read(
    named: Node, language: str, folder: Path | None, diagnostics: FileDiagnostics
) -> _Reading:
    nodes = _nodes(named)
    packaged = [node.text for node in nodes if node.text.partition(":")[0] == PACKAGED]
    files = (node for node in nodes if node.text not in packaged)
    paths = list(_find_files(files, folder, diagnostics))
    if packaged:
        if paths or len(packaged) > 1:
            message = f"'{PACKAGED}' stands alone: it is a whole collection"
            diagnostics.abort(named.start, message, "list files, or name one collection")
        tag = packaged[0].partition(":")[2] or language
        return _Reading(read_packaged_collection(tag, HOME_LISTS))
    if not paths:
        hint = f"name files of sentences, or '{PACKAGED}'"
        diagnostics.abort(named.start, "there are no sentences", hint)
    return _Reading(*read_collection(paths, HOME_LISTS, language))


def _nodes(named: Node) -> list[ScalarNode]:
    """What a model names under the key ``sentences``."""
    return [
        node
        for node in (named.items if isinstance(named, SequenceNode) else [named])
        if isinstance(node, ScalarNode)
    ]


def _input_names(named: Node, root: MappingNode, folder: Path | None) -> Iterator[str]:
    """The files, folders and packaged collections that a model's sentences come from."""
    here = (folder or Path()).absolute()
    for name in (node.text for node in _nodes(named)):
        package, colon, tag = name.partition(":")
        if package == PACKAGED:
            yield f"{package}:{tag if colon else _language(root)}"
        else:
            yield str(here / name)
    home = root.items.get("home")
    if isinstance(home, ScalarNode):
        yield str(here / home.text)


def _find_files(
    named: Iterator[ScalarNode], folder: Path | None, diagnostics: FileDiagnostics
) -> Iterator[Path]:
    for node in named:
        path = _find(node, folder, diagnostics)
        if path.is_dir():
            yield from find_sentence_files(path)
        else:
            yield path


def _find(node: ScalarNode, folder: Path | None, diagnostics: FileDiagnostics) -> Path:
    """The file or folder of a name. Raises :class:`ModelError` with its place if there is none."""
    path = (folder or Path()) / node.text
    try:
        exists = bool(node.text) and path.exists()
    except (OSError, ValueError):  # a name that no file can have
        exists = False
    if not exists:
        diagnostics.abort(
            node.start,
            f"there is no file '{node.text}'",
            f"it is sought in the folder {str(folder or Path())!r}",
        )
    return path


def _extended(node: Node | None, added: list[Any], at: int) -> Node:
    """A list with further items; what is no list is left for the validation."""
    if node is None:
        node = SequenceNode(at, [])
    if not isinstance(node, SequenceNode):
        return node
    return SequenceNode(node.start, [*node.items, *(_to_node(one, at) for one in added)])


def _to_node(data: Any, at: int) -> Node:
    if isinstance(data, Mapping):
        items = {str(key): _to_node(value, at) for key, value in data.items()}
        return MappingNode(at, items, dict.fromkeys(items, at))
    if isinstance(data, list):
        return SequenceNode(at, [_to_node(one, at) for one in data])
    if isinstance(data, bool):
        return ScalarNode(at, at, "true" if data else "false", "")
    if isinstance(data, int):
        return ScalarNode(at, at, str(data), "")
    return ScalarNode(at, at, str(data), "'")
