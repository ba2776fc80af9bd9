"""An upper estimate of the tokens of a text, for models whose tokenizer cannot be asked."""

from __future__ import annotations

import re

__all__ = ["estimate_tokens"]

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_DIGIT = re.compile(r"[0-9]")
_SPACES = re.compile(r"[ \t]{2,}|[ \t](?=[0-9])")
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxz]{3,}")
_KEY = re.compile(r"(?<![A-Za-z0-9+/=_-])(?=[A-Za-z+/_-]*[0-9])[A-Za-z0-9+/=_-]{8,}")
_SIGN = re.compile(r"[^A-Za-z0-9 \t\x80-\U0010ffff]")
_TWO_BYTES = re.compile(r"[\x80-\u07ff]")
_CJK = re.compile(r"[\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef]")
_THREE_BYTES = re.compile(r"[\u0800-\u2fff\ua000-\uabff\ud7a4-\ufeff\ufff0-\uffff]")
_FOUR_BYTES = re.compile(r"[\U00010000-\U0010ffff]")


def estimate_tokens(text: str) -> int:
    """Return about as many tokens as the worst of the usual tokenizers makes of ``text``, or more.

    ASCII words take a token for three letters, and one up to four letters, more if they have many
    consonants in a row; a digit, a punctuation mark, a line break, and each character of a key such
    as a UUID one each; letters of Latin with accents, Greek, Cyrillic, Hebrew and Arabic
    (two bytes of UTF-8) one each; Chinese, Japanese and Korean characters one and a half; others of
    three bytes two; others of four, such as emoji, four. A tokenizer that falls back to bytes never
    makes more tokens than bytes; its merges of common words make the usual text cheaper.
    """
    if text.isascii():
        return _estimate_ascii(text)
    return (
        _estimate_ascii(text)
        + len(_TWO_BYTES.findall(text))
        + (3 * len(_CJK.findall(text)) + 1) // 2
        + 2 * len(_THREE_BYTES.findall(text))
        + 4 * len(_FOUR_BYTES.findall(text))
    )


def _estimate_ascii(text: str) -> int:
    keys = 0
    if _KEY.search(text):
        keys = sum(map(len, _KEY.findall(text)))
        text = _KEY.sub(" ", text)
    lengths = map(len, _WORD.findall(text))
    words = sum(1 if length <= 4 else (length + 2) // 3 for length in lengths)
    clusters = sum((len(run) + 1) // 3 for run in _CONSONANTS.findall(text))
    spaces = sum((len(run) + 1) // 2 for run in _SPACES.findall(text))
    signs = len(_DIGIT.findall(text)) + len(_SIGN.findall(text))
    return keys + words + clusters + spaces + signs
