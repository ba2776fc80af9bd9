"""Expand the synonyms of a model into phrases and report their errors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from anaphora.errors import GrammarError
from anaphora.grammar.synonyms.expansion import SynonymExpander, check_macros
from anaphora.grammar.synonyms.linter import lint_synonym
from anaphora.models.checking.model_draft import ModelDraft
from anaphora.models.domain import ANY_LANGUAGE, Phrase, Phrases
from anaphora.models.reading.nodes import MappingNode, NodePath

__all__ = ["PhraseExpander"]

_MAX_PHRASES = 1_000_000  # in one model
_MACRO_NAME = re.compile(r"<[^<>\s]+>")

_SynonymLists = Sequence[str] | Mapping[str, Sequence[str]] | None


class PhraseExpander:
    """Expands the synonyms of one model with its macros."""

    def __init__(self, draft: ModelDraft) -> None:
        self.draft = draft
        self._remaining = _MAX_PHRASES
        self._invalid_macros = self._check_macros()
        macros = draft.file.macros
        valid = {name: text for name, text in macros.items() if name not in self._invalid_macros}
        self._expander = SynonymExpander(valid)

    def expand(self, path: NodePath, written: _SynonymLists, own: Iterable[str] = ()) -> Phrases:
        """Expand a list of synonyms, or one list per language.

        ``own`` are literal phrases for all languages, such as the name of a value.
        """
        by_language = written if isinstance(written, Mapping) else {ANY_LANGUAGE: written or ()}
        phrases: dict[str, tuple[Phrase, ...]] = {}
        if names := tuple((folded,) for text in own if (folded := " ".join(text.split()))):
            phrases[ANY_LANGUAGE] = names
        for language, texts in by_language.items():
            place = (*path, language) if language else path
            if language:
                self.draft.check_language(place, language)
            found = dict.fromkeys(phrases.get(language, ()))
            for index, text in enumerate(texts):
                found.update(dict.fromkeys(self._expand(place, index, text)))
            if found:
                phrases[language] = tuple(found)
        return phrases

    def _expand(self, path: NodePath, index: int, text: str) -> tuple[Phrase, ...]:
        if not text.strip():
            what = "phrase" if path[0] == "reset" else "synonym"
            self.draft.add_error((*path, index), f"the {what} is empty")
            return ()
        if self._remaining <= 0 or self._uses_invalid_macro(text):
            return ()
        try:
            phrases = self._expander.expand(text)
        except GrammarError as error:
            self.draft.add_nested("error", (*path, index), error.problems)
            return ()
        self.draft.add_nested(
            "warning", (*path, index), lint_synonym(text, spaced=self.draft.imported)
        )
        self._remaining -= len(phrases)
        if self._remaining <= 0:
            self.draft.add_error(
                (*path, index),
                f"with '{text}' the synonyms of the model expand to more than "
                f"{_MAX_PHRASES:,} phrases",
            )
        return phrases

    def _check_macros(self) -> set[str]:
        """Report invalid macros; returns these and the macros that use them."""
        macros = self.draft.file.macros
        problems = check_macros(macros)
        for name, problem in problems:
            if problem.line:
                self.draft.add_nested("error", ("macros", name), (problem,))
            else:
                self.draft.add_key_error(("macros", name), problem.message, problem.hint)
        for name in macros.keys() - {name for name, _ in problems}:
            lint = lint_synonym(macros[name], spaced=self.draft.imported)
            self.draft.add_nested("warning", ("macros", name), lint)
        node = self.draft.root.items.get("macros")
        invalid = {name for name, _ in problems} | (
            node.removed_keys if isinstance(node, MappingNode) else set()
        )
        while more := {
            name
            for name, text in macros.items()
            if name not in invalid and not invalid.isdisjoint(_MACRO_NAME.findall(text))
        }:
            invalid |= more
        return invalid

    def _uses_invalid_macro(self, text: str) -> bool:
        """Whether ``text`` uses a macro whose error is already reported."""
        if "<" not in text:
            return False
        if self.draft.is_removed("macros") and "macros" not in self.draft.root.items:
            return True
        return not self._invalid_macros.isdisjoint(_MACRO_NAME.findall(text))
