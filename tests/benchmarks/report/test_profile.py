"""The time of a question is divided among its stages."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.report.sections import profile
from benchmarks.report.workloads.stages import STAGES, stage_of, stage_of_stack
from benchmarks.report.workloads.subject_process import (
    SubjectProcess,
)

ROOT = Path(__file__).parent.parent.parent.parent
each = pytest.mark.parametrize


@each(
    ("module", "stage"),
    [
        ("entities.tokens.linear_tokenizer", "tokenizing"),
        ("entities.phrases.trie", "phrases"),
        ("entities.builtin.dates.date_recognizer", "recognizers"),
        ("stm.rules", "memory"),
        ("stm.stores.memory", "store"),
        ("intents.solver", "solving"),
        ("engine.responses", "template"),
        ("engine.engine", STAGES[-1]),
        ("spacy.language", None),
    ],
)
def test_a_module_belongs_to_the_stage_with_the_longest_matching_name(module, stage):
    assert stage_of(module) == stage


def test_time_in_a_library_counts_for_its_caller():
    stack = ["engine.engine", "entities.tokens.linear_tokenizer", "spacy.language"]
    assert stage_of_stack(stack) == "tokenizing"
    assert stage_of_stack(["spacy.language"]) == STAGES[-1]


@each(
    ("caller", "stage"),
    [
        ("engine.callbacks.handlers", "answering"),
        ("entities.recognizers.function_recognizer", "recognizers"),
    ],
)
def test_time_in_a_bot_counts_for_its_caller(caller, stage):
    assert stage_of_stack(["engine.engine", caller, "bots.cafe"]) == stage


@each("package", ["entities", "engine", "intents", "stm"])
def test_every_module_on_the_path_of_a_question_has_a_stage(package):
    for file in (ROOT / "anaphora" / package).rglob("*.py"):
        name = ".".join(file.relative_to(ROOT / "anaphora").with_suffix("").parts)
        assert stage_of(name) is not None, name


def test_the_profile_of_a_question_has_its_stages_and_its_functions():
    with SubjectProcess(profile.of_bundled_models, seconds=0.2, models=("cafe",)) as process:
        measured = process.round()
    assert set(measured["stages"]) <= set(STAGES)
    assert sum(measured["stages"].values()) == pytest.approx(1)
    assert measured["tree"]["name"] == "ask"
    assert any(call["name"].endswith("_read") for call in measured["tree"]["calls"])
