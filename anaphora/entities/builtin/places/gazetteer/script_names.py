"""Index the names of cities by script; each script is indexed at the first look-up.

Half of all names are in scripts that a bot never sees. Their names stay unindexed until a text has
letters of the script. The original spellings remain available, to name a city in a language.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import regex

from anaphora.entities.builtin.places.gazetteer.name_index import (
    NameColumns,
    NameIndex,
    encode_name,
)
from anaphora.entities.builtin.places.name_normalization import name_lengths, normalize_names
from anaphora.storage.cache import UNCACHED
from anaphora.storage.forks import LazyProperty, fork_safe_lock
from anaphora.storage.shipped_tables import PartSource

__all__ = ["CityNameIndex", "Script", "build_columns", "script_of"]

Script = Literal["latin", "greek", "cyrillic", "hebrew", "arabic", "unspaced", "other"]

# The first code points of coarse blocks of Unicode.
_BLOCKS: tuple[tuple[int, Script], ...] = (
    (0, "latin"), (0x370, "greek"), (0x400, "cyrillic"), (0x530, "other"), (0x590, "hebrew"),
    (0x600, "arabic"), (0x900, "other"), (0xE00, "unspaced"), (0xF00, "other"),
    (0x1000, "unspaced"), (0x10A0, "other"), (0x1780, "unspaced"), (0x1800, "other"),
    (0x1E00, "latin"), (0x1F00, "greek"), (0x2000, "latin"), (0x2C80, "other"),
    (0x2E80, "unspaced"), (0xA000, "other"), (0xF900, "unspaced"), (0xFB00, "latin"),
    (0xFB1D, "hebrew"), (0xFB50, "arabic"), (0xFF00, "latin"), (0xFF66, "unspaced"),
    (0xFFA0, "other"),
)  # fmt: skip
# The countries whose main names are in a script; names of places elsewhere are other names. In
# scripts without an entry all names count as main names.
_SCRIPT_COUNTRIES: Mapping[Script, str] = {
    "cyrillic": "RU UA BY BG RS MK ME KZ KG TJ MN",
    "arabic": "AE AF BH DJ DZ EG EH ER IQ IR JO KW LB LY MA MR OM PK PS QA SA SD SO SY TD TN YE",
    "hebrew": "IL PS",
    "greek": "GR CY",
}
_STARTS = tuple(start for start, _ in _BLOCKS)
_FIRST_OTHER = chr(_BLOCKS[1][0])
_LETTER = regex.compile(r"\p{L}")
# A machine transliteration ("ba li"), the code of an airport, a name with a state behind it.
_NOT_A_NAME = regex.compile(
    r"^(?:[\p{Ll}'ʿ].*\p{Latin}.*|\p{Lu}{3}|[^\n,،(0-9=]*+[,،(0-9=].*|.{61,})$", regex.MULTILINE
)
_MIN_LETTERS, _MIN_LETTERS_UNSPACED = 3, 2


class CityNameIndex:
    """An index from the names of cities to their numbers.

    ``columns`` come from :func:`build_columns`; ``countries`` has the country code of each city.
    ``kept`` has the indexes of further scripts, or caches them.
    """

    __slots__ = ("_countries", "_indexes", "_kept", "_latin", "_lengths", "_lock", "_raw")

    def __init__(
        self, columns: Mapping[str, Any], countries: Iterable[str], kept: PartSource = UNCACHED
    ) -> None:
        self._countries = countries
        self._kept = kept
        self._latin = NameIndex(columns["latin"])
        self._indexes: dict[str, NameIndex] = {"latin": self._latin}
        self._lengths: Mapping[str, tuple[int, ...]] = {}
        self._raw: dict[Script, _NameLines] = {
            script: _NameLines(*lines) for script, lines in columns["raw"].items()
        }
        self._lock = fork_safe_lock()

    def __len__(self) -> int:
        """The number of rows in the indexes of all scripts so far."""
        return sum(map(len, self._indexes.values()))

    def places(self, name: str) -> list[tuple[int, bool]]:
        """The numbers of the cities with that name, each with whether it is the main name."""
        return self.index_for(name).places(name)

    def lengths(self) -> Mapping[str, tuple[int, ...]]:
        """The lengths of names in scripts without spaces by their first two letters, longest
        first."""
        self.index_for("\u4e00")
        return self._lengths

    def scripts(self) -> tuple[Script, ...]:
        """The scripts of the names, except Latin."""
        return tuple(self._raw)

    def names_in_script(self, city: int, script: Script) -> list[str]:
        """The names of a city in a script other than Latin, in their original spelling."""
        return self._raw[script].names_of(city)

    def index_for(self, name: str) -> NameIndex:
        """The index of the script of a name or of its first words."""
        if name < _FIRST_OTHER:
            return self._latin
        script = script_of(name)
        return self._indexes.get(script) or self.get_index(script)

    def get_index(self, script: Script) -> NameIndex:
        """The index of a script, which the first call builds."""
        with self._lock:  # other threads wait instead of building it again
            if script not in self._indexes:
                columns, lengths = self._kept(script, lambda: self._build_columns(script))
                if lengths:
                    self._lengths = {two: tuple(known) for two, known in lengths.items()}
                self._indexes[script] = NameIndex(columns)
            return self._indexes[script]

    def _build_columns(self, script: Script) -> tuple[NameColumns, dict[str, tuple[int, ...]]]:
        """The columns of the index of a script, and for scripts without spaces the lengths of
        names."""
        lines, places = self._raw[script].all()
        keys = _normalize_lines(lines)
        least = _MIN_LETTERS_UNSPACED if script == "unspaced" else _MIN_LETTERS
        kept = np.fromiter((len(key) >= least for key in keys), bool, len(keys))
        keys, places = list(compress(keys, kept)), places[kept]
        is_main = np.ones(len(places), bool)
        if script in _SCRIPT_COUNTRIES:
            homes = frozenset(_SCRIPT_COUNTRIES[script].split())
            is_main = np.fromiter((country in homes for country in self._countries), bool)[places]
        index = NameIndex.build(keys, places, is_main)
        return index.columns, name_lengths(keys) if script == "unspaced" else {}


def build_columns(main: Sequence[tuple[int, str]], others: Sequence[str]) -> dict[str, Any]:
    """Build the columns of :class:`CityNameIndex`, which are plain data. ``main`` has the main
    names, one or more for each number of a city; ``others`` has all other names of each city, one
    in a line."""
    names = "\n".join(name for _, name in main)
    numbers = np.array([number for number, _ in main], np.uint32)
    by_script = _group_by_script(others)
    ascii, latin = by_script.pop("ascii"), by_script.pop("latin")
    keys = [
        *normalize_names(names).split("\n"),
        *(key for lines, _ in (ascii, latin) for key in _normalize_lines(lines)),
    ]
    places = np.concatenate((numbers, ascii[1], latin[1]))
    is_main = np.arange(len(keys)) < len(main)
    long = np.fromiter(map(len, keys), np.int64, len(keys))
    kept = (long >= _MIN_LETTERS) | is_main & (long > 0)
    index = NameIndex.build(list(compress(keys, kept)), places[kept], is_main[kept])
    return {
        "latin": index.columns,
        "raw": {
            script: (encode_name("".join(f"{line}\n" for line in lines)), cities.tobytes())
            for script, (lines, cities) in by_script.items()
        },
    }


class _NameLines:
    """Names, one in a line, and the city of each, in the order of the cities."""

    def __init__(self, texts: bytes, places: bytes) -> None:
        self._texts = texts
        self._places = np.frombuffer(places, np.uint32)

    @LazyProperty
    def _starts(self) -> npt.NDArray[np.uint32]:
        ends = np.flatnonzero(np.frombuffer(self._texts, np.uint8) == ord("\n"))
        return np.concatenate(([0], ends + 1)).astype(np.uint32)

    def all(self) -> tuple[list[str], npt.NDArray[np.uint32]]:
        """All names, and the city of each."""
        return self._texts.decode("utf-8", "surrogatepass").split("\n")[:-1], self._places

    def names_of(self, city: int) -> list[str]:
        first, last = np.searchsorted(self._places, (city, city + 1))
        names = self._texts[self._starts[first] : self._starts[last]]
        return names.decode("utf-8", "surrogatepass").splitlines()


def _normalize_lines(names: Sequence[str]) -> list[str]:
    return normalize_names(_NOT_A_NAME.sub("", "\n".join(names))).split("\n") if names else []


def script_of(name: str) -> Script:
    """The script of a name, which is that of its first letter."""
    return _BLOCKS[bisect_right(_STARTS, ord(_first_letter(name))) - 1][1]


def _first_letter(name: str) -> str:
    if name[:1].isalpha():
        return name[0]
    letter = _LETTER.search(name)
    return letter.group() if letter else " "


def _group_by_script(names: Sequence[str]) -> dict[str, tuple[list[str], npt.NDArray[np.uint32]]]:
    """The names in each script, and the city of each. Names in ASCII, the majority, have an own
    group, because they are the fastest to normalize."""
    counts = [lines.count("\n") + 1 for lines in names]
    lines = "\n".join(names).split("\n")
    places = np.repeat(np.arange(len(names), dtype=np.uint32), counts)
    ascii = np.fromiter(map(str.isascii, lines), bool, len(places))
    found: dict[str, tuple[list[str], npt.NDArray[np.uint32]]] = {
        "ascii": (list(compress(lines, ascii)), places[ascii])
    }
    lines, places = list(compress(lines, ~ascii)), places[~ascii]
    letters = np.fromiter(map(ord, map(_first_letter, lines)), np.int64, len(lines))
    blocks = np.searchsorted(_STARTS, letters, side="right") - 1
    for script in dict.fromkeys(script for _, script in _BLOCKS):
        own = np.isin(blocks, [at for at, block in enumerate(_BLOCKS) if block[1] == script])
        found[script] = list(compress(lines, own)), places[own]
    return found
