"""Tokenize any text in linear time.

spaCy's tokenizer removes marks from the ends of each run of non-space characters one by one, and
checks the rest anew each time: 10,000 brackets in a row take it 30 s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc

__all__ = ["make_doc"]

_MAX_RUN_LENGTH = 200  # characters between two blanks that are tokenized together


def make_doc(nlp: Language, text: str) -> Doc:
    """Tokenize ``text`` with the tokenizer of ``nlp``. For spaCy's own tokenizer, runs of non-space
    characters that are longer than any word are split first; tokenizers of scripts without blanks
    don't need that."""
    is_short = (
        len(text) <= _MAX_RUN_LENGTH or max(map(len, text.split()), default=0) <= _MAX_RUN_LENGTH
    )
    if is_short or not isinstance(nlp.tokenizer, Tokenizer):
        return nlp.make_doc(text)
    words: list[str] = []
    spaces: list[bool] = []
    for segment in _split_long_runs(text):
        for token in nlp.make_doc(segment):
            words.append(token.text)
            spaces.append(bool(token.whitespace_))
    doc = Doc(nlp.vocab, words=words, spaces=spaces)
    return doc if doc.text == text else nlp.make_doc(text)


def _split_long_runs(text: str) -> Iterator[str]:
    """Split the text so that no run of non-space characters exceeds _MAX_RUN_LENGTH."""
    start = 0
    for run in re.finditer(rf"\S{{{_MAX_RUN_LENGTH + 1},}}", text):
        if run.start() > start:
            yield text[start : run.start()]
        for at in range(run.start(), run.end(), _MAX_RUN_LENGTH):
            yield text[at : min(at + _MAX_RUN_LENGTH, run.end())]
        start = run.end()
    if start < len(text):
        yield text[start:]
