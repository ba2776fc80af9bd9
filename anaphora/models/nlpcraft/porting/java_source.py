"""Find the annotated callbacks of a bot in Java, Kotlin, Scala or Groovy.

Only annotations and the headers of methods are read: ``@NCIntentRef``, ``@NCIntent`` and
``@NCIntentSample`` on a method or a class, ``@NCIntentTerm`` on parameters.
Files of samples (``@NCIntentSampleRef``) are named, not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import dedent
from typing import NamedTuple

__all__ = ["SOURCE_SUFFIXES", "JavaCallback", "JavaParameter", "JavaSource", "parse_java"]

_LANGUAGES = {"java": "Java", "kt": "Kotlin", "scala": "Scala", "groovy": "Groovy"}
SOURCE_SUFFIXES = tuple(f".{one}" for one in _LANGUAGES)

_STRING = (
    r'"""(?:[^"]|"(?!""))*"""|"(?:\\.|[^"\\\n])*"'
    r"|'''(?:[^']|'(?!''))*'''|'(?:\\.|[^'\\\n])*'"  # Groovy
)
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*(?:.|\n)*?\*/")
_TEXT = re.compile(_STRING)
_BRACKET = re.compile(rf"{_STRING}|[()]")
_INTENT_ANNOTATION = re.compile(r"@(?:[\w.]+\.)?NCIntent(?:Ref|SampleRef|Sample)?\b")
_TERM_ANNOTATION = re.compile(r"@(?:[\w.]+\.)?NCIntentTerm\b")
_GENERIC = re.compile(r"<[^<>]*>|\[[^\[\]]*\]")
_NAME_BEFORE_COLON = re.compile(r"\s*(?:va[lr]\s+)?(\w+)\s*:")
_WORD = re.compile(r"[\w$]+")
_ANNOTATION = re.compile(r"\s*@((?:\w+\.)*\w+)\s*(\()?")
_HEADER = re.compile(r"([^(){};=\"@]*?)([\w$]+)\s*(?:<[^()]*>\s*)?\(")
_TYPE_WORD = re.compile(r"\b(?:class|object|interface|trait|record|enum)\s+(\w+)")
_RETURN_TYPE = re.compile(r"\)\s*(:\s*[\w.<>\[\]?, ]+)")
_IDENTITY = re.compile(
    rf"\b(?:NCModelConfig|NCModelAdapter|super)\s*\(\s*({_STRING})\s*,\s*({_STRING})\s*,\s*({_STRING})"
)
_LOADER = re.compile(r"\b(?:class|object)\s+(\w+)[^{};]*?\bNCValueLoader\b")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_MARGIN = re.compile(r"\n[ \t]*\|")


class JavaParameter(NamedTuple):
    """A parameter that gets the entities of a term."""

    term: str
    name: str


@dataclass(frozen=True, slots=True)
class JavaCallback:
    """A method that answers intents: ``refs`` are ids, ``idl`` texts with intents. ``samples`` has
    one list of utterances for each annotation, ``sample_files`` the files of others. ``line``
    counts from 1."""

    name: str
    owner: str
    signature: str
    line: int
    parameters: tuple[JavaParameter, ...]
    refs: tuple[str, ...] = ()
    idl: tuple[str, ...] = ()
    samples: tuple[tuple[str, ...], ...] = ()
    sample_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JavaSource:
    """What a source file declares. ``idl`` are the texts with intents of its classes, ``loaders``
    the value loaders with their lines, ``identity`` the id, the name and the version of a model."""

    name: str
    callbacks: tuple[JavaCallback, ...]
    idl: tuple[str, ...]
    loaders: dict[str, int]
    identity: tuple[str, ...] = ()

    @property
    def language(self) -> str:
        """The programming language of the file."""
        return _LANGUAGES.get(self.name.rpartition(".")[2], "Java")

    @property
    def intent_texts(self) -> tuple[str, ...]:
        """All texts with intents, those of classes first."""
        return (*self.idl, *(text for one in self.callbacks for text in one.idl))

    @property
    def intent_places(self) -> tuple[str, ...]:
        """For messages: where each of the ``intent_texts`` is."""
        owners = ["a class" for _ in self.idl]
        owners += [one.name for one in self.callbacks for _ in one.idl]
        return tuple(f"{self.name}, @NCIntent of {owner}" for owner in owners)


class _Annotation(NamedTuple):
    name: str
    texts: tuple[str, ...]


def parse_java(text: str, name: str = "") -> JavaSource:
    """Read a source file called ``name``. Code that is not understood is skipped."""
    code = _COMMENT.sub(lambda found: found[1] or re.sub(r"[^\n]", " ", found[0]), text)
    callbacks: list[JavaCallback] = []
    class_idl: list[str] = []
    at = 0
    while found := _INTENT_ANNOTATION.search(code, at):
        annotations, at = _parse_annotations(code, found.start())
        header = _HEADER.match(code, at)
        if header is None or _TYPE_WORD.search(header[1] + header[2]):
            class_idl += [
                _lay_out(text)
                for one in annotations
                if one.name == "NCIntent"
                for text in one.texts
            ]
            continue
        end = _find_closing(code, header.end() - 1)
        callbacks.append(_build_callback(code, header, end, annotations))
        at = end
    loaders = {one[1]: _line_at(code, one.start()) for one in _LOADER.finditer(code)}
    named = _IDENTITY.search(code)
    identity = tuple(map(_unquote, named.groups())) if named else ()
    return JavaSource(name, tuple(callbacks), tuple(class_idl), loaders, identity)


def _build_callback(
    code: str, header: re.Match[str], end: int, annotations: Iterable[_Annotation]
) -> JavaCallback:
    owners = _TYPE_WORD.findall(code, 0, header.start())
    returned = _RETURN_TYPE.match(code, end - 1)
    signature = code[header.start() : end] + (returned[1] if returned else "")
    texts: dict[str, list[tuple[str, ...]]] = {}
    for one in annotations:
        texts.setdefault(one.name, []).append(one.texts)
    return JavaCallback(
        name=header[2],
        owner=owners[-1] if owners else "",
        signature=" ".join(signature.split()),
        line=_line_at(code, header.start(2)),
        parameters=tuple(_iter_parameters(code[header.end() : end - 1])),
        refs=tuple(text for one in texts.get("NCIntentRef", ()) for text in one),
        idl=tuple(_lay_out(text) for one in texts.get("NCIntent", ()) for text in one),
        samples=tuple(
            tuple(" ".join(text.split()) for text in one)
            for one in texts.get("NCIntentSample", ())
            if one
        ),
        sample_files=tuple(text for one in texts.get("NCIntentSampleRef", ()) for text in one),
    )


def _parse_annotations(code: str, at: int) -> tuple[list[_Annotation], int]:
    """The annotations from an offset on, and the offset behind them."""
    found: list[_Annotation] = []
    while annotation := _ANNOTATION.match(code, at):
        at, inner = annotation.end(), ""
        if annotation[2]:
            end = _find_closing(code, at - 1)
            inner, at = code[at : end - 1], end
        found.append(_Annotation(annotation[1].rpartition(".")[2], tuple(_iter_texts(inner))))
    return found, at


def _iter_parameters(code: str) -> Iterator[JavaParameter]:
    at = 0
    while found := _TERM_ANNOTATION.search(code, at):
        annotations, at = _parse_annotations(code, found.start())
        terms = [one.texts for one in annotations if one.name == "NCIntentTerm" and one.texts]
        flat = code[at:]
        while (bare := _GENERIC.sub(lambda one: " " * len(one[0]), flat)) != flat:
            flat = bare
        written = re.split("[,@]", flat, maxsplit=1)[0]
        at += len(written)
        before_colon = _NAME_BEFORE_COLON.match(written)
        words = _WORD.findall(written)
        name = before_colon[1] if before_colon else words[-1] if words else ""
        for texts in terms:
            yield JavaParameter(texts[0], name)


def _iter_texts(code: str) -> Iterator[str]:
    """The texts of the arguments of an annotation; those with ``+`` between them are one."""
    text: str | None = None
    end = 0
    for found in _TEXT.finditer(code):
        if text is not None and "," in code[end : found.start()]:
            yield text
            text = None
        text = (text or "") + _unquote(found[0])
        end = found.end()
    if text is not None:
        yield text


def _unquote(written: str) -> str:
    if not written.startswith(('"""', "'''")):
        return _ESCAPE.sub(_unescape, written[1:-1])
    text = written[3:-3]
    return _MARGIN.sub("\n", text) if _MARGIN.search(text) else text


def _lay_out(text: str) -> str:
    """A text of several lines as it stands in a file: without the margin of the source."""
    return "\n".join(line.rstrip() for line in dedent(text).strip().splitlines())


def _unescape(found: re.Match[str]) -> str:
    return chr(int(found[1], 16)) if found[1] else _ESCAPED.get(found[2], found[2])


def _find_closing(code: str, at: int) -> int:
    """The offset behind the bracket that closes the one at an offset; the end if none does."""
    depth = 0
    for found in _BRACKET.finditer(code, at):
        depth += {"(": 1, ")": -1}.get(found[0], 0)
        if depth == 0:
            return found.end()
    return len(code)


def _line_at(code: str, at: int) -> int:
    return code.count("\n", 0, at) + 1
