"""Tagging alone: Anaphora's pipeline beside PhraseMatcher, EntityRuler, FlashText, pyahocorasick.

The names are made up (:func:`benchmarks.models.names`); the texts have eight or nine words, half of
them common English ones, with up to two names. No text occurs twice, so that caches of whole texts
do not help; all taggers of a size are in memory at once and take turns, each round started by
another one. Built objects are frozen: the garbage collector does not traverse those of the other
taggers. Taggers on spaCy's tokens are also timed without tokenization.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from statistics import fmean, median
from time import perf_counter, process_time

import psutil  # type: ignore[import-untyped]

from benchmarks.models import SYLLABLES, names
from benchmarks.peers.footprint import Footprint, footprint
from benchmarks.peers.interleaving import gc_frozen, rotate
from benchmarks.peers.taggers import TAGGERS, Tagger
from benchmarks.process_memory import resident

__all__ = ["SIZES", "Row", "Text", "remember", "tagging", "texts"]

SIZES = (100, 1_000, 10_000, 100_000, 1_000_000)
_BASE = "anaphora"
_MANY = 100_000
_TALKED_OF = 300
_TOO_SLOW = 0.05  # seconds a text: a tagger that takes longer is asked no more
_TOO_LONG = 100.0  # seconds: what would take longer to build is not built
_SHARE_OF_MEMORY = 0.25  # of what is free: what would take more is not built
_COMMON = (  # the most frequent words of English
    "the a to of and in is it you that he was for on are with as I his they be at one have this "
    "from or had by hot but some what there we can out other were all your when up use word how "
    "said an each she which do their time if will way about many then them would write like so "
    "these her long make thing see him two has look more day could go come did my sound no most "
    "number who over know water than call first people may down side been now find any new work"
)


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and the names in it, in order."""

    text: str
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of a tagger of ``synonyms`` names.

    Times are in seconds, per text except ``build``. ``build`` and ``worked``, the mean per text,
    are CPU times, which exclude other processes of the machine; ``ratio`` is ``worked`` as a
    multiple of Anaphora's. ``finding`` is the median without tokenization, None for taggers that do
    not use spaCy's tokens. ``right`` is the share of the texts in which exactly the names are
    found. ``grown`` is the growth of the process in bytes during building; ``footprint`` is more
    exact, and None if it was not measured. A tagger that was not built says why in ``skipped`` and
    has no figures.
    """

    tagger: str
    synonyms: int
    build: float = 0.0
    median: float = 0.0
    mean: float = 0.0
    p99: float = 0.0
    worked: float = 0.0
    finding: float | None = None
    ratio: float = 0.0
    right: float = 0.0
    grown: int = 0
    footprint: Footprint | None = None
    skipped: str = ""


def tagging(
    sizes: Iterable[int] = SIZES,
    *,
    count: int = 500,
    rounds: int = 5,
    seed: int = 1,
    taggers: Iterable[str] = tuple(TAGGERS),
    of_many: Iterable[str] = tuple(TAGGERS),
) -> list[Row]:
    """Measure each tagger and size with ``rounds`` times ``count`` texts, after a warm-up round.
    Only the taggers ``of_many`` are measured with more than 100,000 names."""
    asked, many = tuple(taggers), frozenset(of_many)
    stopped: dict[str, str] = {}
    rows = []
    for size in sorted(sizes):
        wanted = [one for one in asked if size <= _MANY or one in many]
        known = names(size)
        said = texts(known, count * (rounds + 1), seed=seed)
        able = [one for one in wanted if one not in stopped]
        measured = _measured(
            able, known, [said[at : at + count] for at in range(0, len(said), count)]
        )
        base = next((row.worked for row in measured if row.tagger == _BASE), 0.0)
        rows += [replace(row, ratio=row.worked / base if base else 0.0) for row in measured]
        rows += [Row(one, size, skipped=stopped[one]) for one in wanted if one in stopped]
        stopped |= {row.tagger: why for row in measured if (why := _why_no_more(row))}
    return rows


def remember(rows: Iterable[Row], *, least: int = 10_000) -> list[Row]:
    """The rows with the memory of each tagger, measured in fresh processes; omitted for fewer than
    ``least`` names, where the bytes per name say little."""
    return [
        row
        if row.skipped or row.synonyms < least
        else replace(row, footprint=footprint(row.tagger, row.synonyms))
        for row in rows
    ]


def texts(known: Sequence[str], count: int, *, seed: int = 1) -> list[Text]:
    """``count`` different texts with some of the ``known`` names.

    As in real life, the same things recur: some hundred of the names, and some hundred other words.
    """
    random = Random(seed)
    all_names = frozenset(known)
    talked_of = random.sample(known, min(len(known), _TALKED_OF))
    strange = ["".join(random.choices(SYLLABLES, k=3)) for _ in range(_TALKED_OF)]
    common = _COMMON.split()
    said: dict[str, Text] = {}
    while len(said) < count:
        among = random.choices([0, 1, 2], [0.1, 0.7, 0.2])[0]
        length = random.choice([8, 9])
        pieces = random.sample(talked_of, among) + random.choices(common, k=length // 2)
        strangers = length - sum(len(piece.split()) for piece in pieces)
        pieces += random.choices(strange, k=strangers)
        random.shuffle(pieces)
        text = " ".join(pieces)
        pairs = map(" ".join, pairwise(text.split()))
        found = tuple(pair for pair in pairs if pair in all_names)
        if len(found) == among:  # no other one has come about
            said[text] = Text(text[0].upper() + text[1:], found)
    return list(said.values())


def _measured(
    taggers: Iterable[str], known: Sequence[str], rounds: Sequence[Sequence[Text]]
) -> list[Row]:
    """Run the taggers on the texts of each round; the first round is a warm-up."""
    built: dict[str, _Timed] = {}
    for tagger in taggers:
        before, begin = resident(), process_time()
        made = TAGGERS[tagger](known)
        built[tagger] = _Timed(made, process_time() - begin, resident() - before)
    for one in built.values():
        one.ask(rounds[0][:5])
        one.is_slow = min(one.times) > _TOO_SLOW
        if not one.is_slow:
            one.begin_anew()
    quick = [tagger for tagger, one in built.items() if not one.is_slow]
    with gc_frozen():
        for number, texts in enumerate(rounds):
            for tagger in rotate(quick, number):
                gc.collect()
                built[tagger].ask(texts)
                if number == 0:
                    built[tagger].begin_anew()
    return [one.row(tagger, len(known)) for tagger, one in built.items()]


@dataclass(slots=True)
class _Timed:
    """A tagger with its build time and its measured times."""

    tagger: Tagger
    build: float
    grown: int
    is_slow: bool = False
    busy: float = 0.0
    times: list[float] = field(default_factory=list)
    finding: list[float] = field(default_factory=list)
    right: list[bool] = field(default_factory=list)

    def ask(self, said: Sequence[Text]) -> None:
        """Measure the time of each text, and whether exactly its names are found."""
        find, tokenize, find_in = self.tagger.find, self.tagger.tokenize, self.tagger.find_in
        worked = process_time()
        for one in said:
            begin = perf_counter()
            found = find(one.text)
            self.times.append(perf_counter() - begin)
            self.right.append(tuple(found) == one.found)
        self.busy += process_time() - worked
        if tokenize is None or find_in is None or self.is_slow:
            return
        for doc in [tokenize(one.text) for one in said]:
            begin = perf_counter()
            find_in(doc)
            self.finding.append(perf_counter() - begin)

    def begin_anew(self) -> None:
        """Discard the times of the warm-up."""
        self.times.clear()
        self.finding.clear()
        self.busy = 0.0

    def row(self, tagger: str, synonyms: int) -> Row:
        return Row(
            tagger,
            synonyms,
            self.build,
            median(self.times),
            fmean(self.times),
            sorted(self.times)[int(len(self.times) * 0.99)],
            worked=self.busy / len(self.times),
            finding=median(self.finding) if self.finding else None,
            right=fmean(self.right),
            grown=self.grown,
        )


def _why_no_more(row: Row) -> str:
    """The reason not to try a tagger with ten times as many names, '' if there is none."""
    if row.median > _TOO_SLOW:
        return f"a text takes {row.median * 1e3:.0f} ms with {row.synonyms:,} names"
    if row.build * 10 > _TOO_LONG:
        return f"{row.synonyms:,} names take {row.build:.0f} s to build"
    if row.grown * 10 > psutil.virtual_memory().available * _SHARE_OF_MEMORY:
        return f"{row.synonyms:,} names take {row.grown / 2**20:,.0f} MiB"
    return ""
