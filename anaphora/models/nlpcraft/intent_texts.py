"""Find the texts of a model file of NLPCraft that may name entities."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from anaphora.errors import GrammarError
from anaphora.grammar.idl.imports import ImportedText, read_import
from anaphora.models.reading.nodes import MappingNode, iter_texts, mappings_in

__all__ = ["iter_intent_texts", "iter_synonym_texts", "read_resource"]

_IMPORT = re.compile(r"""\bimport\s*\(\s*(?:'([^'\n]*)'|"([^"\n]*)")\s*\)""")
_SYNONYMS = ("synonyms", "values")
_MAX_IMPORTS = 100


def iter_intent_texts(
    root: MappingNode, further: Iterable[str] = (), folder: Path | None = None
) -> Iterator[str]:
    """The texts with intents in the file and ``further`` ones, with all their imports, which are
    relative to ``folder``. Imports that cannot be read are left out: the compiler reports them."""
    node = root.items.get("intents")
    waiting = [(text, folder) for text in (*iter_texts(node), *further)]
    seen: set[tuple[str, Path | None]] = set()
    while waiting:
        text, where = waiting.pop()
        yield text
        for single, double in _IMPORT.findall(text):
            key = (single or double, where)
            if key in seen or len(seen) == _MAX_IMPORTS:
                continue
            seen.add(key)
            try:
                found = read_resource(key[0], where)
            except GrammarError:
                continue
            waiting.append((found.text, found.folder))


def read_resource(location: str, folder: Path | None) -> ImportedText:
    """Read an import like :func:`read_import`, or relative to a folder above: a location such as
    ``org/bot/more.idl`` may count from the root of the bot's resources."""
    try:
        return read_import(location, folder)
    except GrammarError:
        above = Path(folder or "").absolute().parents if "/" in location else ()
        for root in above:
            with suppress(GrammarError):
                return read_import(location, root)
        raise


def iter_synonym_texts(root: MappingNode) -> Iterator[str]:
    """The macros and synonyms of the file."""
    elements = mappings_in(root.items.get("elements"))
    synonyms = (one.items.get(key) for one in elements for key in _SYNONYMS)
    for node in (root.items.get("macros"), *synonyms):
        yield from iter_texts(node)
