"""Tagging compared with other taggers, by the number of synonyms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from benchmarks.report.data import Axis, Cell, Column, Curves, LeftOut, Line, Panel, Section, Table
from benchmarks.report.options import ReportOptions
from benchmarks.report.rendering.numbers import format_number
from benchmarks.report.workloads.subject_process import Tell, affordable
from benchmarks.report.workloads.timing import tokenizer_seconds

if TYPE_CHECKING:
    from benchmarks.peers.tagging import Row

_OURS = "anaphora"
_AIMED_AT = 100_000
_NEEDS = {100: 0.1, 1_000: 0.1, 10_000: 0.5, 100_000: 2.0, 1_000_000: 6.0}  # GB, all at once
_KINDS = ("anaphora", "PhraseMatcher", "EntityRuler", "FlashText", "pyahocorasick (whole words)")
"""One tagger of each kind, for measurements that take minutes or a separate process."""


def measure(wanted: ReportOptions, tell: Tell) -> Section:
    """See :mod:`benchmarks.peers.tagging`."""
    from benchmarks.peers.tagging import remember, tagging

    sizes = wanted.pick(whole=affordable(_NEEDS), short=(100,))
    count, rounds = wanted.pick(whole=(500, 5), short=(20, 1))
    tell(f"up to {max(sizes):,} synonyms")
    rows = tagging(sizes, count=count, rounds=rounds, of_many=_KINDS)
    tell("memory")
    kinds = [row for row in rows if row.synonyms == _AIMED_AT and row.tagger in _KINDS]
    held = {row.tagger: row for row in remember(kinds)}
    rows = [held.get(row.tagger, row) if row.synonyms == _AIMED_AT else row for row in rows]
    return Section(
        "tagging",
        "Tagging",
        "Names of two words found in texts of eight or nine, half of them common words; "
        f"{count * rounds:,} different texts, and all taggers of a size take turns. The times are "
        "of all the work, from the text on; “tokens given” is the median where spaCy has cut the "
        "text before, and the ratio is that of the mean time of the processor. Anaphora itself "
        "makes no Doc where it needs none; its component in a spaCy pipeline does. A tagger that "
        "takes more than 50 ms for a text, or minutes to build, is asked no more names than that; "
        "a million names, and what is held of each name, are measured of one tagger of a kind.",
        (
            _abilities(),
            _curves(rows),
            *(_table(size, rows) for size in sizes),
        ),
        _figures(rows),
        _limits(rows),
        tuple(
            LeftOut(f"tagging with {size:,} synonyms", "too little memory is free")
            for size in wanted.pick(whole=tuple(_NEEDS), short=())
            if size not in sizes
        ),
    )


def _abilities() -> Table:
    """The abilities of each tagger, found by experiment."""
    from benchmarks.peers.taggers import TAGGERS, abilities

    rows: list[tuple[Cell, ...]] = []
    for name in TAGGERS:
        its = abilities(name)
        answers = (its.value, its.case, its.forms, its.overlaps, its.words)
        rows.append((name, *("yes" if answer else "no" for answer in answers)))
    columns = ["tagger", "tells which value", "other case", "other forms (“berries”)"]
    columns += ["names that share a word", "whole words alone"]
    return Table("What each gives", tuple(map(Column, columns)), tuple(rows))


def _curves(rows: Sequence[Row]) -> Curves:
    measured = [row for row in rows if not row.skipped]
    taggers = dict.fromkeys(row.tagger for row in measured)
    lines = tuple(
        Line(
            tagger,
            tuple((row.synonyms, row.median) for row in measured if row.tagger == tagger),
        )
        for tagger in taggers
    )
    panel = Panel("a text", Axis("synonyms"), Axis("time of a text", "s"), lines)
    return Curves("tagging", "Tagging, by the number of synonyms", (panel,))


def _table(size: int, rows: Sequence[Row]) -> Table:
    kept = [row for row in rows if row.synonyms == size]
    columns = [Column("tagger"), Column("build", "s"), Column("median", "s"), Column("p99", "s")]
    columns += [Column("of the processor", "s"), Column("to Anaphora's", "×")]
    columns += [Column("tokens given", "s"), Column("right", "%")]
    has_memory = any(row.footprint for row in kept)
    if has_memory:
        columns += [Column("held, each", "B"), Column("of it Python's", "B")]
    cells: list[tuple[Cell, ...]] = []
    for row in kept:
        if row.skipped:
            cells.append((f"{row.tagger}: {row.skipped}", *(None for _ in columns[1:])))
            continue
        memory = (row.footprint.resident, row.footprint.traced) if row.footprint else (None, None)
        times = (row.median, row.p99, row.worked, row.ratio, row.finding)
        cells.append((row.tagger, row.build, *times, row.right, *(memory if has_memory else ())))
    return Table(f"{size:,} synonyms", tuple(columns), tuple(cells))


def _figures(rows: Sequence[Row]) -> dict[str, float]:
    """Ratios to the fastest variant of each peer."""
    at_size = [row for row in rows if row.synonyms == _AIMED_AT and not row.skipped]
    ours = next((row.worked for row in at_size if row.tagger == _OURS), None)
    figures = {}
    for figure, peer in (("entity_ruler", "EntityRuler"), ("phrase_matcher", "PhraseMatcher")):
        theirs = [row.worked for row in at_size if row.tagger.startswith(peer)]
        if ours and theirs:
            figures[f"tagging.over_{figure}"] = min(theirs) / ours
    return figures


def _limits(rows: Sequence[Row]) -> dict[str, str]:
    from benchmarks.models import names
    from benchmarks.peers.tagging import texts

    floor = tokenizer_seconds([one.text for one in texts(names(1_000), 500)])
    text = f"spaCy's tokenizer alone takes {format_number(floor, 's')} for a text it has seen"
    limits = dict.fromkeys(("tagging.over_entity_ruler", "tagging.over_phrase_matcher"), text)
    at_most = {row.tagger: row.ratio for row in rows if row.synonyms == _AIMED_AT and row.ratio}
    if with_ids := at_most.get("EntityRuler"):
        limits["tagging.over_entity_ruler"] = (
            f"by its quickest form, which tells no value; with ids, which do, it is "
            f"{format_number(with_ids, '×')}; {text}"
        )
    return limits
