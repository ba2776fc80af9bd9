"""Figures of a recall benchmark, as rows of a Markdown table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from benchmarks.ltm.locomo import CATEGORIES, Question

__all__ = ["Result", "has_evidence", "print_header", "report"]


@dataclass
class Result:
    """For each question: category, recall at 1, 5, 10 and 20, reciprocal rank, and milliseconds."""

    categories: list[int] = field(default_factory=list)
    figures: list[tuple[float, ...]] = field(default_factory=list)
    milliseconds: list[float] = field(default_factory=list)

    def add(
        self, question: Question, found: Sequence[str], *, milliseconds: float | None = None
    ) -> None:
        """Add a question and the turns found for it, best first."""
        self.categories.append(question.category)
        self.figures.append(_scores(question, found))
        if milliseconds is not None:
            self.milliseconds.append(milliseconds)


def has_evidence(question: Question) -> bool:
    """Whether any turn answers the question."""
    return bool(question.evidence)


def print_header() -> None:
    """Print the head of the table."""
    names = " | ".join(f"{name} R@10" for name in CATEGORIES.values())
    print(f"| method | R@1 | R@5 | R@10 | R@20 | MRR | {names} | ms |")
    print("| --- |" + " ---: |" * (6 + len(CATEGORIES)))


def report(name: str, result: Result) -> None:
    """Print the row of a method: the means of all questions and of each category."""
    figures, categories = np.array(result.figures), np.array(result.categories)
    overall = " | ".join(f"{value:.3f}" for value in figures.mean(0))
    by = " | ".join(_mean(figures[categories == one, 2]) for one in CATEGORIES)
    took = f"{np.median(result.milliseconds):.2f}" if result.milliseconds else "–"
    print(f"| {name} | {overall} | {by} | {took} |", flush=True)


def _mean(figures: NDArray[np.float64]) -> str:
    return f"{figures.mean():.3f}" if len(figures) else "–"


def _scores(question: Question, found: Sequence[str]) -> tuple[float, ...]:
    evidence = frozenset(question.evidence)
    recalls = [len(evidence.intersection(found[:top])) / len(evidence) for top in (1, 5, 10, 20)]
    first = next((rank for rank, id in enumerate(found, start=1) if id in evidence), 0)
    return (*recalls, 1 / first if first else 0.0)
