"""The tables of the benchmark, for people and as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.dialogs.scoring import Score, TurnScore, summarize

__all__ = ["format_report", "format_summary", "to_dict"]


def format_report(title: str, scores: Sequence[TurnScore], failures: int) -> Iterator[str]:
    """The lines of the tables of one run, and of the first ``failures`` turns that add an error."""
    yield f"## {title}"
    yield ""
    yield "| turns | count | right | add no error |"
    yield "| --- | ---: | ---: | ---: |"
    for heading, table in _tables(scores).items():
        for key, score in table.items():
            name = f"{heading} {key}".strip()
            yield f"| {name} | {_format_score(score)} |"
    if causes := _causes(scores):
        yield ""
        yield "| cause of an error | count |"
        yield "| --- | ---: |"
        for cause, count in causes.items():
            yield f"| {cause} | {count:,} |"
    for turn in [turn for turn in scores if turn.added][:failures]:
        yield ""
        yield f"{turn.dialog}, turn {turn.number}, {' + '.join(turn.acts)}, {turn.status}:"
        yield f"    {turn.text}"
        for one in turn.added:
            expected = " or ".join(one.expected) or "nothing"
            yield f"    {one.element}: {one.remembered or 'nothing'}, not {expected} ({one.cause})"
    yield ""


def format_summary(results: Mapping[str, Sequence[TurnScore]]) -> Iterator[str]:
    """The lines of one table of all runs, over the turns that rely on memory."""
    yield "| dialogs, mode | turns that rely on memory | right | add no error |"
    yield "| --- | ---: | ---: | ---: |"
    for title, scores in results.items():
        for score in _tables(scores)["relying on memory"].values():
            yield f"| {title} | {_format_score(score)} |"


def to_dict(scores: Sequence[TurnScore]) -> dict[str, Any]:
    """The same as JSON-able data, with all turns that add an error."""
    return {
        "tables": {
            heading: {key: asdict(score) for key, score in table.items()}
            for heading, table in _tables(scores).items()
        },
        "causes": _causes(scores),
        "failures": [asdict(score) for score in scores if score.added],
    }


def _tables(scores: Sequence[TurnScore]) -> Mapping[str, Mapping[str, Score]]:
    relying = [score for score in scores if score.relies_on_memory]
    return {
        "all": summarize(scores, lambda score: [""]),
        "relying on memory": summarize(relying, lambda score: [""]),
        "relying, service": summarize(relying, lambda score: score.services),
        "relying, act": summarize(relying, lambda score: score.acts),
    }


def _format_score(score: Score) -> str:
    right, added_none = score.right / score.turns, score.added_none / score.turns
    return f"{score.turns:,} | {right:.1%} | {added_none:.1%}"


def _causes(scores: Sequence[TurnScore]) -> dict[str, int]:
    return dict(Counter(one.cause for score in scores for one in score.added).most_common())
