"""The names of cities by scripts: those of a script are indexed when the first one is looked for.

Half of all names are in scripts that a bot never sees. They are kept as they were read until a
text comes with letters of that script, and after that too: so a city can be called what it is
called there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
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
from anaphora.storage.cache import UNCACHED, CachedParts
from anaphora.storage.forks import fork_safe_lock

__all__ = ["CityNameIndex", "Script", "build_columns", "script_of"]

Script = Literal["latin", "greek", "cyrillic", "hebrew", "arabic", "unspaced", "other"]

# From which letter on: blocks of Unicode, as coarse as indexing needs them.
_BLOCKS: tuple[tuple[int, Script], ...] = (
    (0, "latin"),
    (0x370, "greek"),
    (0x400, "cyrillic"),
    (0x530, "other"),
    (0x590, "hebrew"),
    (0x600, "arabic"),
    (0x900, "other"),
    (0xE00, "unspaced"),
    (0xF00, "other"),
    (0x1000, "unspaced"),
    (0x10A0, "other"),
    (0x1780, "unspaced"),
    (0x1800, "other"),
    (0x1E00, "latin"),
    (0x1F00, "greek"),
    (0x2000, "latin"),
    (0x2C80, "other"),
    (0x2E80, "unspaced"),
    (0xA000, "other"),
    (0xF900, "unspaced"),
    (0xFB00, "latin"),
    (0xFB1D, "hebrew"),
    (0xFB50, "arabic"),
    (0xFF00, "latin"),
    (0xFF66, "unspaced"),
    (0xFFA0, "other"),
)
# Where a script is at home: there it holds main names, elsewhere what others call the places.
# Of those without blanks, and the ones used in one country, all are taken as main ones.
_SCRIPT_COUNTRIES: Mapping[Script, str] = {
    "cyrillic": "RU UA BY BG RS MK ME KZ KG TJ MN",
    "arabic": "AE AF BH DJ DZ EG EH ER IQ IR JO KW LB LY MA MR OM PK PS QA SA SD SO SY TD TN YE",
    "hebrew": "IL PS",
    "greek": "GR CY",
}
_STARTS = tuple(start for start, _ in _BLOCKS)
_FIRST_OTHER = chr(_BLOCKS[1][0])
_LETTER = regex.compile(r"\p{L}")
# A transliteration by a machine ("ba li"), the code of an airport, a state that is added.
_NOT_A_NAME = regex.compile(
    r"^(?:[\p{Ll}'ʿ].*\p{Latin}.*|\p{Lu}{3}|[^\n,،(0-9=]*+[,،(0-9=].*|.{61,})$", regex.MULTILINE
)
_MIN_LETTERS, _MIN_LETTERS_UNSPACED = 3, 2


class CityNameIndex:
    """The names of cities → their numbers.

    Made of ``columns``, as :func:`build_columns` gives them, and ``countries``, which tells the
    codes of those of the cities. What is indexed later is got through ``kept``.
    """

    __slots__ = ("_countries", "_indexes", "_kept", "_latin", "_lengths", "_lock", "_raw")

    def __init__(
        self,
        columns: Mapping[str, Any],
        countries: Callable[[], Sequence[str]],
        kept: CachedParts = UNCACHED,
    ) -> None:
        self._countries = countries
        self._kept = kept
        self._latin = NameIndex(columns["latin"])
        self._indexes: dict[str, NameIndex] = {"latin": self._latin}
        self._lengths: Mapping[str, tuple[int, ...]] = {}
        self._raw = {script: _NameLines(*lines) for script, lines in columns["raw"].items()}
        self._lock = fork_safe_lock()

    def __len__(self) -> int:
        """How many rows the indexes have that were needed so far."""
        return sum(map(len, self._indexes.values()))

    def places(self, name: str) -> list[tuple[int, bool]]:
        """The numbers of the cities of that name, each with whether it is its main name."""
        return self._index_for(name).places(name)

    def is_name_or_prefix(self, words: str) -> bool:
        """Whether ``words`` are a name, or whole words with which a longer one begins."""
        return self._index_for(words).is_name_or_prefix(words)

    def is_prefix(self, words: str) -> bool:
        """Whether longer names begin with these words."""
        return self._index_for(words).is_prefix(words)

    def lengths(self) -> Mapping[str, tuple[int, ...]]:
        """How long the names are that begin with two letters of a script without blanks, longest
        first."""
        self._index_for("\u4e00")
        return self._lengths

    def build_index(self, script: Script) -> None:
        """Indexes the names in that script now."""
        self._get_index(script)

    def names_in_script(self, city: int, script: Script) -> list[str]:
        """The city's names in that script (not Latin) as the data spells them."""
        return self._raw[script].names_of(city)

    def _index_for(self, name: str) -> NameIndex:
        if name < _FIRST_OTHER:
            return self._latin
        script = script_of(name)
        return self._indexes.get(script) or self._get_index(script)

    def _get_index(self, script: Script) -> NameIndex:
        with self._lock:  # who comes second waits, and does not do it as well
            if script not in self._indexes:
                columns, lengths = self._kept(script, lambda: self._build_columns(script))
                if lengths:
                    self._lengths = {two: tuple(known) for two, known in lengths.items()}
                self._indexes[script] = NameIndex(columns)
            return self._indexes[script]

    def _build_columns(self, script: Script) -> tuple[NameColumns, dict[str, tuple[int, ...]]]:
        """The columns of an index, and where there are no blanks how long the names are."""
        keys, places = self._read(script)
        index = NameIndex.build(keys, places, self._is_main(script, places))
        return index.columns, name_lengths(keys) if script == "unspaced" else {}

    def _read(self, script: Script) -> tuple[list[str], npt.NDArray[np.uint32]]:
        """The names in that script as they are compared, and the city of each."""
        lines, places = self._raw[script].all()
        keys = _normalize_lines(lines)
        least = _MIN_LETTERS_UNSPACED if script == "unspaced" else _MIN_LETTERS
        kept = np.fromiter((len(key) >= least for key in keys), bool, len(keys))
        return list(compress(keys, kept)), places[kept]

    def _is_main(self, script: Script, places: npt.NDArray[np.uint32]) -> npt.NDArray[np.bool_]:
        if script not in _SCRIPT_COUNTRIES:
            return np.ones(len(places), bool)
        homes = frozenset(_SCRIPT_COUNTRIES[script].split())
        at_home = np.fromiter((country in homes for country in self._countries()), bool)
        return at_home[places]


def build_columns(main: Sequence[tuple[int, str]], others: Sequence[str]) -> dict[str, Any]:
    """The columns of :class:`CityNameIndex`, plain data. ``main`` are the main names by the number
    of the city, which may have several of them; ``others`` all other names of each city, a line
    each."""
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
    """Names, a line each, and the city of each; in the order of the cities."""

    def __init__(self, texts: bytes, places: bytes) -> None:
        self._texts = texts
        self._places = np.frombuffer(places, np.uint32)
        self._known_starts: npt.NDArray[np.uint32] | None = None

    @property
    def _starts(self) -> npt.NDArray[np.uint32]:
        if self._known_starts is None:
            ends = np.flatnonzero(np.frombuffer(self._texts, np.uint8) == ord("\n"))
            self._known_starts = np.concatenate(([0], ends + 1)).astype(np.uint32)
        return self._known_starts

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
    """In which script a name is written: that of its first letter."""
    return _BLOCKS[bisect_right(_STARTS, ord(_first_letter(name))) - 1][1]


def _first_letter(name: str) -> str:
    if name[:1].isalpha():
        return name[0]
    letter = _LETTER.search(name)
    return letter.group() if letter else " "


def _group_by_script(
    names: Sequence[str],
) -> dict[str, tuple[list[str], npt.NDArray[np.uint32]]]:
    """The names in each script, and the city of each; those in ASCII by themselves, which are
    most of all, and the quickest to read."""
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
