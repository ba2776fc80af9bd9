"""All sections of the report, in order, with their names on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

from benchmarks.report.data import Section
from benchmarks.report.options import ReportOptions
from benchmarks.report.workloads.subject_process import Tell

Measure: TypeAlias = Callable[[ReportOptions, Tell], Section]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A section that can be measured: its module in :mod:`.sections` and its subject."""

    id: str
    about: str

    @property
    def measure(self) -> Measure:
        """The function that measures the section; its packages are imported only here."""
        found: Measure = import_module(f"benchmarks.report.sections.{self.id}").measure
        return found


CHAPTERS = (
    Chapter("peers", "the smart-home work in Anaphora, hassil and adapt"),
    Chapter("tagging", "tagging alone beside PhraseMatcher, EntityRuler, FlashText …"),
    Chapter("stores", "a conversation's open and commit beside bare Redis round trips"),
    Chapter("dates", "dates beside dateparser.search"),
    Chapter("scaling", "curves of time and memory by synonyms, intents, threads …"),
    Chapter("profile", "the stages and functions in which one ask spends its time"),
    Chapter("steadiness", "100,000 mixed questions: median, p99, pauses"),
    Chapter("start", "import and first answer in a fresh process"),
    Chapter("building", "a model of 100,000 synonyms: build, memory, cache"),
    Chapter("batches", "ask_many, and a pool of processes"),
    Chapter("files", "the pytest benchmarks in benchmarks/"),
    Chapter("scripts", "the benchmarks that are separate programs"),
)


def chapter(id: str) -> Chapter | None:
    """The chapter with that name, or None."""
    return next((one for one in CHAPTERS if one.id == id), None)
