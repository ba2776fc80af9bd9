"""The engines of the tests share the tokenizer of a language, which takes 0.1 s to create. spaCy
finds its entry points by their group: for each pipeline it looks for them a dozen times, among
those of all packages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from typing import Any

import pytest
import spacy
from spacy.language import Language

from anaphora.entities.tokens.tokenizers import WORD_TOKENIZER

__all__ = ["own_blank", "share_tokenizers"]

own_blank = spacy.blank
"""Creates a pipeline with a tokenizer and a vocabulary of its own."""


@contextmanager
def share_tokenizers() -> Iterator[None]:
    """Let blank pipelines with the tokenizer of words have that of the first one of the language,
    and its vocabulary."""
    first: dict[str, Language] = {}

    def blank(code: str, **options: Any) -> Language:
        if options != {"config": {"nlp": {"tokenizer": {"@tokenizers": WORD_TOKENIZER}}}}:
            return own_blank(code, **options)
        if code not in first:
            first[code] = own_blank(code, **options)
        usual = first[code]
        return spacy.util.get_lang_class(code)(
            vocab=usual.vocab, create_tokenizer=lambda _: usual.tokenizer
        )

    available = entry_points()
    by_group = {group: list(available.select(group=group)) for group in available.groups}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spacy, "blank", blank)
        patch.setattr("catalogue.AVAILABLE_ENTRY_POINTS", by_group)
        yield
