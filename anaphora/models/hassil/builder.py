"""Build a collection of sentences from the data of hassil's files.

The keys are those of hassil's YAML and of the JSON of Home Assistant's sentence collections.
Unknown keys are reported and ignored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal

from anaphora.core.name_hints import did_you_mean
from anaphora.errors import GrammarError
from anaphora.frozen import freeze
from anaphora.grammar.sentences.normalization import fold_case, normalize_text
from anaphora.grammar.sentences.parser import is_template, parse_sentence
from anaphora.grammar.sentences.syntax import (
    Expression,
    Sequence,
    Text,
)
from anaphora.models.hassil.collection import (
    ContextRule,
    RangeList,
    SentenceBlock,
    SentenceCollection,
    SlotList,
    TextList,
    TextValue,
    WildcardList,
)
from anaphora.models.hassil.references import (
    IDENTIFIER,
    KeyPath,
    Level,
    Report,
    check_references,
)

__all__ = ["HOME_LISTS", "KeyPath", "Level", "Report", "build_collection"]

HOME_LISTS = ("name", "area", "floor")
"""The lists that a home fills, which collections refer to without having them."""

_KEYS = {
    "file": (
        "language", "settings", "intents", "lists", "expansion_rules", "skip_words", "responses",
        "version",
    ),
    "settings": ("ignore_whitespace", "filter_with_regex"),
    "intent": ("data", "domain", "description", "supported"),
    "block": (
        "sentences", "slots", "requires_context", "excludes_context", "expansion_rules", "lists",
        "response", "metadata", "required_keywords", "settings", "inferred_domain", "name_domains",
        "example", "examples",
    ),
    "list": ("values", "range", "wildcard", "metadata"),
    "range": (
        "from", "to", "step", "type", "fractions", "multiplier", "digits", "words",
        "words_language",
    ),
    "value": ("in", "out", "context", "metadata"),
    "context": ("value", "slot"),
}  # fmt: skip


def build_collection(
    data: Mapping[str, Any], report: Report, known_lists: Collection[str] = HOME_LISTS
) -> SentenceCollection:
    """Build the collection of a file; ``known_lists`` are those that come from elsewhere.

    Reports what is wrong; the result is valid only if no error was reported.
    """
    return _Builder(report, known_lists).build(data)


class _Builder:
    def __init__(self, report: Report, known_lists: Collection[str]) -> None:
        self._report = report
        self._known_lists = known_lists

    def build(self, data: Mapping[str, Any]) -> SentenceCollection:
        self._check_keys(data, "file", ())
        settings = self._mapping(data, "settings", ())
        self._check_keys(settings, "settings", ("settings",))
        language = data.get("language")
        if not isinstance(language, str) or not language:
            self._error((), "the file names no language", "write language: en")
            language = "en"
        rules = self._rules(data, ())
        lists = self._lists(data, ())
        blocks = tuple(self._blocks(data))
        collection = SentenceCollection(
            language=language,
            blocks=blocks,
            rules=rules,
            lists=lists,
            skip_words=tuple(map(str, self._sequence(data, "skip_words", ()))),
            ignores_spaces=settings.get("ignore_whitespace") is True,
            responses=self._responses(data),
        )
        check_references(collection, self._known_lists, self._report)
        return collection

    def _blocks(self, data: Mapping[str, Any]) -> Iterator[SentenceBlock]:
        for intent, written in self._mapping(data, "intents", ()).items():
            path: KeyPath = ("intents", intent)
            if not isinstance(written, Mapping):
                self._error(path, "an intent is a mapping with the key data")
                continue
            self._check_keys(written, "intent", path)
            if not IDENTIFIER.fullmatch(intent):
                hint = "a name begins with a letter and goes on with letters, digits, '_', '-'"
                self._error(path, f"'{intent}' cannot be the name of an intent", hint)
            for index, block in enumerate(self._sequence(written, "data", path)):
                where = (*path, "data", index)
                if isinstance(block, Mapping):
                    yield self._block(intent, block, where)
                else:
                    self._error(where, "a block of sentences is a mapping with the key sentences")

    def _block(self, intent: str, block: Mapping[str, Any], path: KeyPath) -> SentenceBlock:
        self._check_keys(block, "block", path)
        sentences = self._sequence(block, "sentences", path)
        if not sentences:
            self._error(path, "the block has no sentences")
        parsed = (
            self._parse(sentence, (*path, "sentences", index))
            for index, sentence in enumerate(sentences)
        )
        keywords = self._sequence(block, "required_keywords", path)
        return SentenceBlock(
            intent=intent,
            sentences=tuple(one for one in parsed if one is not None),
            slots=freeze(self._mapping(block, "slots", path)),
            requires=self._context(block, "requires_context", path),
            excludes=self._context(block, "excludes_context", path),
            rules=self._rules(block, path),
            lists=self._lists(block, path),
            response=str(block.get("response") or ""),
            metadata=freeze(self._mapping(block, "metadata", path)),
            keywords=frozenset(fold_case(str(one)) for one in keywords),
        )

    def _context(self, block: Mapping[str, Any], key: str, path: KeyPath) -> dict[str, ContextRule]:
        rules = {}
        for name, written in self._mapping(block, key, path).items():
            slot: Any = ""
            if isinstance(written, Mapping):
                self._check_keys(written, "context", (*path, key, name))
                slot = written.get("slot", "")
                slot = name if slot is True else slot or ""
                written = written.get("value")
            values = tuple(written) if isinstance(written, list) else (written,)
            rules[name] = ContextRule(None if written is None else values, str(slot))
        return rules

    def _rules(self, data: Mapping[str, Any], path: KeyPath) -> dict[str, Expression]:
        rules = {}
        for name, body in self._mapping(data, "expansion_rules", path).items():
            parsed = self._parse(body, (*path, "expansion_rules", name))
            rules[name] = Sequence(()) if parsed is None else parsed
        return rules

    def _lists(self, data: Mapping[str, Any], path: KeyPath) -> dict[str, SlotList]:
        lists = {}
        for name, written in self._mapping(data, "lists", path).items():
            where = (*path, "lists", name)
            if not isinstance(written, Mapping):
                self._error(where, "a list is a mapping with values, range or wildcard")
                continue
            self._check_keys(written, "list", where)
            lists[name] = self._list(written, where)
        return lists

    def _list(self, written: Mapping[str, Any], path: KeyPath) -> SlotList:
        if "values" in written:
            values = self._sequence(written, "values", path)
            found = (self._value(one, (*path, "values", index)) for index, one in enumerate(values))
            return TextList(tuple(one for one in found if one is not None))
        if "range" in written:
            return self._range(self._mapping(written, "range", path), (*path, "range"))
        if written.get("wildcard") is not True:
            message = "the list has neither values nor a range, and is no wildcard"
            self._error(path, message, "write values: [on, off], or wildcard: true")
        return WildcardList()

    def _value(self, written: Any, path: KeyPath) -> TextValue | None:
        if not isinstance(written, Mapping):
            text = _format_scalar(written)
            if is_template(text):
                phrase = self._parse(text, path)
                return None if phrase is None else TextValue(phrase)
            return TextValue(Text(normalize_text(text)), text)
        self._check_keys(written, "value", path)
        if "in" not in written:
            self._error(path, "the value says nothing", "write in: the words")
            return None
        text = _format_scalar(written["in"])
        phrase = self._parse(text, (*path, "in")) if is_template(text) else None
        return TextValue(
            Text(normalize_text(text)) if phrase is None else phrase,
            written.get("out"),
            freeze(self._mapping(written, "context", path)),
            freeze(self._mapping(written, "metadata", path)),
        )

    def _range(self, written: Mapping[str, Any], path: KeyPath) -> RangeList:
        self._check_keys(written, "range", path)
        start, stop = (self._number(written, key, path) for key in ("from", "to"))
        step = self._number(written, "step", path, 1)
        if start > stop:
            self._error(path, f"the range begins at {start} and ends before it, at {stop}")
        if step < 1:
            self._error((*path, "step"), "a step is at least 1")
            step = 1
        named = written.get("fractions") or ""
        fractions: Literal["", "halves", "tenths"] = ""
        if named == "halves":
            fractions = "halves"
        elif named == "tenths":
            fractions = "tenths"
        elif named:
            hint = "write halves or tenths"
            self._error((*path, "fractions"), f"unknown fractions '{named}'", hint)
        multiplier = written.get("multiplier")
        if isinstance(multiplier, bool) or not isinstance(multiplier, int | float | None):
            self._error(
                (*path, "multiplier"), "the multiplier is no number", "write multiplier: 60"
            )
            multiplier = None
        return RangeList(
            start=start,
            stop=stop,
            step=step,
            fractions=fractions,
            multiplier=None if multiplier is None else float(multiplier),
            digits=written.get("digits", True) is True,
            words=written.get("words", True) is True,
            language=str(written.get("words_language") or ""),
        )

    def _number(
        self, written: Mapping[str, Any], key: str, path: KeyPath, default: int | None = None
    ) -> int:
        value = written.get(key, default)
        if isinstance(value, int) and not isinstance(value, bool):
            return int(value)
        where = (*path, key) if key in written else path
        self._error(where, f"'{key}' is no whole number", f"write {key}: 1")
        return 1

    def _responses(self, data: Mapping[str, Any]) -> dict[str, dict[str, str]]:
        written = self._mapping(data, "responses", ())
        intents = self._mapping(written, "intents", ("responses",))
        return {
            intent: {str(key): str(text) for key, text in texts.items()}
            for intent, texts in intents.items()
            if isinstance(texts, Mapping)
        }

    def _parse(self, text: Any, path: KeyPath) -> Expression | None:
        if not isinstance(text, str):
            self._error(path, f"a template is a text, not {text!r}", "put it in quotes")
            return None
        try:
            return parse_sentence(text)
        except GrammarError as error:
            for problem in error.problems:
                self._report("error", path, problem.message, problem.hint, problem.column - 1)
            return None

    def _check_keys(self, data: Mapping[str, Any], kind: str, path: KeyPath) -> None:
        for key in data:
            if key not in _KEYS[kind]:
                hint = did_you_mean(str(key), _KEYS[kind])
                self._report("warning", (*path, key), f"unknown key '{key}' is ignored", hint, None)

    def _mapping(self, data: Mapping[str, Any], key: str, path: KeyPath) -> Mapping[str, Any]:
        found = data.get(key)
        if found is None:
            return {}
        if not isinstance(found, Mapping):
            self._error((*path, key), f"'{key}' is a mapping")
            return {}
        return found

    def _sequence(self, data: Mapping[str, Any], key: str, path: KeyPath) -> list[Any]:
        found = data.get(key)
        if found is None:
            return []
        if not isinstance(found, list):
            self._error((*path, key), f"'{key}' is a list", f"write {key}: [one, two]")
            return []
        return found

    def _error(self, path: KeyPath, message: str, hint: str = "") -> None:
        self._report("error", path, message, hint, None)


def _format_scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
