"""A document as a value: its sections, and what identifies it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from anaphora.agents.archive.passages import SPLITTER_VERSION, Section
from anaphora.errors import AnaphoraError

__all__ = ["Document", "DocumentError"]


class DocumentError(AnaphoraError):
    """A document cannot be read. The message names the file."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document: its ``source`` (a path or any other name that identifies it), its title, its
    sections, and the code of its language ("" if unknown)."""

    source: str
    title: str
    sections: tuple[Section, ...]
    language: str = ""

    @classmethod
    def from_text(cls, source: str, text: str, *, title: str = "", language: str = "") -> Document:
        """Make a document of plain text."""
        return cls(source, title, (Section(text),), language)

    @property
    def text(self) -> str:
        """The text of all sections."""
        return "\n\n".join(section.text for section in self.sections)

    @property
    def digest(self) -> str:
        """A digest of everything that decides on the passages of the document."""
        contents = SPLITTER_VERSION, self.title, self.language
        sections = [(section.headings, section.text) for section in self.sections]
        data = repr((contents, sections)).encode("utf-8", "surrogatepass")
        return blake2b(data, digest_size=16).hexdigest()
