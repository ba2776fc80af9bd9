"""Word vectors from a file in the text format of word2vec and fastText."""

from __future__ import annotations

import gzip
import io
import logging
import math
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from anaphora.errors import AnaphoraError

__all__ = ["VectorFile"]

_LONGEST_LINE = 1 << 20  # bytes, a hundred times as much as a thousand numbers take
_GZIP = b"\x1f\x8b"

_log = logging.getLogger(__name__)


class VectorFile:
    """A file with a line ``word number number …`` for each word, in plain text or gzipped.

    The first line may give the numbers of words and dimensions. Each call reads the file once,
    line by line, and keeps only the vectors of the requested words.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text, the mean direction of its words; zeros if a word has
        no vector.

        Raises :class:`AnaphoraError` if the file cannot be read, or if a line of a requested word,
        or the first line, is not a vector.
        """
        wanted = {word for text in texts for word in text.split()}
        try:
            found = self._read(wanted)
        except (OSError, EOFError, zlib.error) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise AnaphoraError(f"cannot read the vectors in {self._path}: {reason}") from None
        if wanted and not found:
            _log.warning("%s has none of the %d requested words", self._path, len(wanted))
        size = len(next(iter(found.values()), ()))
        rows = np.zeros((len(texts), size), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            words = text.split()
            if words and all(word in found for word in words):
                row[:] = _unit(np.sum([found[word] for word in words], axis=0))
        return rows

    def _read(self, wanted: set[str]) -> dict[str, NDArray[np.float64]]:
        found: dict[str, NDArray[np.float64]] = {}
        exact: set[str] = set()  # a word in lower case has priority over "Word" and "WORD"
        size = 0
        with self._open() as file:
            for number, line in self._lines(file):
                word = line[: line.find(b" ")].decode("utf-8", "replace")
                if not size:
                    size = self._size(number, line)
                lower = word.lower()
                if lower not in wanted or word in exact or (lower in found and word != lower):
                    continue
                vector = self._vector(number, word, line, size)
                if vector is not None:
                    found[lower] = vector
                    exact.update({word} if word == lower else ())
        return found

    def _open(self) -> io.BufferedIOBase:
        with self._path.open("rb") as file:
            zipped = file.read(2) == _GZIP
        return gzip.open(self._path, "rb") if zipped else self._path.open("rb")

    def _lines(self, file: io.BufferedIOBase) -> Iterator[tuple[int, bytes]]:
        """Iterate over the numbered lines, without a first line with the numbers of words and
        dimensions."""
        number = 0
        while line := file.readline(_LONGEST_LINE):
            number += 1
            if len(line) == _LONGEST_LINE or (number <= 2 and b"\0" in line):
                raise self._error(number, "this is not text; binary formats are not supported")
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
                parts = line.split()
                if len(parts) == 2 and all(part.isdigit() for part in parts):
                    continue
            if line := line.replace(b"\t", b" ").strip(b" \r\n"):
                yield number, line

    def _size(self, number: int, line: bytes) -> int:
        parts = line.split()
        if len(parts) < 2 or _number(parts[-1]) is None:
            raise self._error(number, "expected a word and the numbers of its vector")
        return len(parts) - 1

    def _vector(self, number: int, word: str, line: bytes, size: int) -> NDArray[np.float64] | None:
        """Parse the vector on a line; None if the word contains spaces."""
        parts = line.split()[1:]
        if len(parts) > size and _number(parts[0]) is None:
            return None
        if len(parts) != size:
            raise self._error(
                number, f"the vector of '{word}' has {len(parts)} numbers, not {size}"
            )
        numbers = [_number(part) for part in parts]
        for part, value in zip(parts, numbers, strict=True):
            if value is None:
                shown = part.decode("utf-8", "replace")
                raise self._error(number, f"in the vector of '{word}', '{shown}' is not a number")
        return np.array(numbers, dtype=np.float64)

    def _error(self, number: int, what: str) -> AnaphoraError:
        return AnaphoraError(f"{self._path}:{number}: {what}")


def _number(text: bytes) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _unit(vector: NDArray[np.float64]) -> NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
