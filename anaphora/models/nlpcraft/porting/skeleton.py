"""Write the Python skeleton of the code of a bot: functions whose bodies are to be filled in."""

from __future__ import annotations

import hashlib
import keyword
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["SkeletonFunction", "is_unedited", "make_function_name", "print_skeleton"]

_HEAD = "# The port of {title}. Written by 'anaphora import nlpcraft'; unedited: {digest}\n"
_HEAD_PATTERN = re.compile(
    r"# .* Written by 'anaphora import nlpcraft'; unedited: ([0-9a-f]{16})\n"
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class SkeletonFunction:
    """A function: ``parameters`` are Python names, ``notes`` the lines of its docstring after the
    ``summary``, ``result`` what it returns until it is ported, with a ``comment``."""

    name: str
    parameters: tuple[str, ...]
    summary: str
    notes: tuple[str, ...]
    result: str
    comment: str


def print_skeleton(title: str, functions: Iterable[SkeletonFunction]) -> str:
    """The text of the module; ``title`` says what is ported. It says whether somebody has edited
    it: see :func:`is_unedited`."""
    name = " ".join(title.split())
    functions_text = "\n\n\n".join(map(_print_function, functions))
    body = f'"""Callbacks of {_escape(name)}."""\n\n\n{functions_text}\n'
    return _HEAD.format(title=name, digest=_digest(body)) + body


def is_unedited(text: str) -> bool:
    """Whether the text is a skeleton as :func:`print_skeleton` has written it."""
    head = _HEAD_PATTERN.match(text)
    return head is not None and head[1] == _digest(text[head.end() :])


def make_function_name(written: str, taken: Iterable[str] = ()) -> str:
    """A Python name for a Java one (``onMatch``: ``on_match``) that is not ``taken``."""
    words = [word.lower() for word in _WORDS.findall(written)]
    name = "_".join(words) or "answer"
    if not name.isidentifier() or keyword.iskeyword(name) or keyword.issoftkeyword(name):
        name = f"on_{name}"
    others, number = set(taken), 2
    candidate = name
    while candidate in others:
        candidate, number = f"{name}_{number}", number + 1
    return candidate


def _print_function(function: SkeletonFunction) -> str:
    return "\n".join(
        (
            f"def {function.name}({', '.join(function.parameters)}):",
            *_print_docstring(function.summary, function.notes),
            f"    return {function.result}  # {function.comment}",
        )
    )


def _print_docstring(summary: str, notes: Sequence[str]) -> Iterable[str]:
    if not notes:
        yield f'    """{_escape(summary)}"""'
        return
    yield f'    """{_escape(summary)}'
    yield ""
    yield from (f"    {_escape(line)}".rstrip() for line in notes)
    yield '    """'


def _escape(text: str) -> str:
    """A text inside a docstring."""
    line = " ".join(text.split()) if "\n" in text else text
    return line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')


def _digest(body: str) -> str:
    return hashlib.sha256(body.encode()).hexdigest()[:16]
