"""Parsers of document formats: bytes to sections.

The libraries for a format are imported when the first document of that format is parsed.
"""

from __future__ import annotations

import codecs
import logging
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise
from typing import TYPE_CHECKING

import regex

from anaphora.agents.archive.document import Document, DocumentError
from anaphora.agents.archive.passages import Section
from anaphora.ltm.history.measure import UNSPACED_SCRIPTS

if TYPE_CHECKING:
    from pypdf import PdfReader

__all__ = ["parse_html", "parse_markdown", "parse_pdf", "parse_text"]

_MAX_PDF_CHARACTERS = 50_000_000  # a small file may unfold to much more
_DETECTION_BYTES = 1_000_000  # from which the encoding of a text is guessed
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before that of UTF-16, with which it begins
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_FRONT_MATTER = regex.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)\s*(?:\n|\Z)", regex.DOTALL)
_FRONT_MATTER_TITLE = regex.compile(r"^title:\s*([\"']?)(.+?)\1\s*$", regex.MULTILINE)
_XML_DECLARATION = regex.compile(r"\A\s*<\?xml.*?\?>", regex.DOTALL)
_NO_TEXT = ("head", "script", "style", "noscript", "template", "nav", "svg", "iframe")
_HYPHENATION = regex.compile(r"(?<=\p{L})-\n(?=\p{Ll})")
_WRAPPED_LINE = regex.compile(r"[^\S\n]*\n(?=\p{Ll})")
_WRAPPED_UNSPACED = regex.compile(
    rf"(?<={UNSPACED_SCRIPTS.pattern})\n(?={UNSPACED_SCRIPTS.pattern})"
)


def parse_text(source: str, data: bytes) -> Document:
    """Parse a plain text in any encoding. Raises :class:`DocumentError` for binary data."""
    return Document.from_text(source, _decode(data))


def parse_markdown(source: str, data: bytes) -> Document:
    """Parse Markdown (CommonMark); the texts of the sections remain Markdown."""
    return _parse_markdown(source, _decode(data))


def parse_html(source: str, data: bytes) -> Document:
    """Parse HTML, by converting it to Markdown without links, scripts and navigation.

    Raises :class:`DocumentError` for binary data and elements nested too deeply.
    """
    from bs4 import BeautifulSoup
    from bs4.dammit import UnicodeDammit
    from markdownify import MarkdownConverter

    if b"\0" in data and not _has_byte_order_mark(data):
        raise DocumentError("the file contains binary data")
    markup = UnicodeDammit(data, is_html=True).unicode_markup
    if markup is None:
        raise DocumentError("the encoding is unknown")
    if "<" not in markup:
        return Document.from_text(source, markup)
    converter = MarkdownConverter(
        heading_style="ATX",
        strip=["a", "img"],
        escape_asterisks=False,
        escape_underscores=False,
        escape_misc=False,
    )
    try:
        soup = BeautifulSoup(_XML_DECLARATION.sub("", markup), "html.parser")
        title = soup.title.get_text(" ", strip=True) if soup.title else ""
        language = str(soup.html.get("lang") or "") if soup.html else ""
        for element in soup(_NO_TEXT):
            element.decompose()
        text = converter.convert_soup(soup)
    except RecursionError as error:
        raise DocumentError("the elements are nested too deeply") from error
    parsed = _parse_markdown(source, text)
    return Document(source, title or parsed.title, parsed.sections, language)


def parse_pdf(source: str, data: bytes) -> Document:
    """Parse a PDF: a section per page, with "p. 7" as its heading.

    Raises :class:`DocumentError` for a file that is damaged, needs a password, or has no text.
    """
    from pypdf import PdfReader

    # It warns of each flaw of a file; without a handler, such lines would reach the console.
    logging.getLogger("pypdf").addHandler(logging.NullHandler())
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentError("the PDF needs a password")
        title = reader.metadata.title if reader.metadata else None
        sections = tuple(_parse_pages(reader))
    except DocumentError:
        raise
    except Exception as error:  # whatever pypdf meets in a damaged file
        raise DocumentError(f"the PDF is damaged: {str(error) or type(error).__name__}") from error
    if not sections:
        raise DocumentError("the PDF contains no text, only images of pages perhaps")
    return Document(source, str(title or ""), sections)


def _parse_pages(reader: PdfReader) -> Iterator[Section]:
    total = 0
    for number, page in enumerate(reader.pages, start=1):
        text = page.extract_text()
        total += len(text)
        if total > _MAX_PDF_CHARACTERS:
            raise DocumentError(f"the PDF has more than {_MAX_PDF_CHARACTERS:,} characters")
        text = _WRAPPED_LINE.sub(" ", _HYPHENATION.sub("", text))
        if text.strip():
            yield Section(_WRAPPED_UNSPACED.sub("", text), (f"p. {number}",))


def _parse_markdown(source: str, text: str) -> Document:
    from markdown_it import MarkdownIt

    text = text.replace("\r\n", "\n").replace("\r", "\n")
    title = ""
    if front := _FRONT_MATTER.match(text):
        found = _FRONT_MATTER_TITLE.search(front[1])
        title, text = found[2] if found else "", text[front.end() :]
    lines = text.split("\n")
    sections: list[Section] = []
    path: list[tuple[int, str]] = []  # the levels and texts of the headings above
    start = 0

    def add(end: int) -> None:
        body = "\n".join(lines[start:end]).strip()
        if body:
            sections.append(Section(body, tuple(heading for _, heading in path)))

    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for token, following in pairwise(tokens):
        if token.type == "heading_open" and not token.level and token.map:
            add(token.map[0])
            level, start = int(token.tag[1:]), token.map[1]
            heading = "".join(child.content for child in following.children or ()).strip()
            path = [(of, above) for of, above in path if of < level] + [(level, heading)]
            title = title or (heading if level == 1 else "")
    add(len(lines))
    return Document(source, title, tuple(sections) or (Section(text),))


def _decode(data: bytes) -> str:
    """Decode a text by its byte order mark, as UTF-8, or as an encoding that fits.

    Raises :class:`DocumentError` for binary data.
    """
    for mark, encoding in _BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            return _decode_as(data, encoding)
    if b"\0" in data:
        raise DocumentError("the file contains binary data")
    try:
        return data.decode()
    except UnicodeDecodeError:
        from charset_normalizer import from_bytes

        best = from_bytes(data[:_DETECTION_BYTES]).best()
        if best is None:
            raise DocumentError("the file contains binary data") from None
        return _decode_as(data, best.encoding)


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentError(f"this is no text in {encoding}") from error


def _has_byte_order_mark(data: bytes) -> bool:
    return data.startswith(tuple(_BYTE_ORDER_MARKS))
