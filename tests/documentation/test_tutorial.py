"""The files of each step of the tutorial are complete and work; its pages show what they say."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from anaphora import Engine, load_model
from anaphora.cli.authoring.sample_results import format_case, run_case
from anaphora.models.checking.unreachable import find_unreachable_elements
from tests.documentation.examples import ROOT, Example, examples

FOLDER = ROOT / "docs" / "tutorial"
STEPS = sorted(path for path in FOLDER.iterdir() if path.is_dir())
PARTS = [example for example in examples() if example.comment.startswith("part of: ")]


def test_there_are_six_steps_each_with_a_page():
    assert [step.name[0] for step in STEPS] == list("123456")
    assert all(step.with_suffix(".md").exists() for step in STEPS)


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_the_dialogs_of_each_step_run(step: Path):
    model = load_model(step / "restaurants.yaml")
    assert not model.warnings
    assert not find_unreachable_elements(model)
    assert len(model.samples) >= 2
    engine = Engine(model)
    for case in (run_case(engine, dialog) for dialog in model.samples):
        assert case.passed, "\n".join(line for line, _ in format_case(case))


@pytest.mark.parametrize("example", PARTS, ids=map(str, PARTS))
def test_what_a_page_shows_is_in_the_file_of_its_step(example: Example):
    name = example.comment.removeprefix("part of: ")
    file = example.page.with_suffix("") / name
    assert example.text in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("before", "step"), list(pairwise([None, *STEPS])), ids=[step.name for step in STEPS]
)
def test_whoever_types_what_the_pages_show_gets_the_files(before: Path | None, step: Path):
    """Each line that a step adds is on its page, except for the samples from step 3 on."""
    shown = {
        line
        for example in PARTS
        if example.page == step.with_suffix(".md")
        for line in example.text.splitlines()
    }
    for file in step.glob("*.*"):
        earlier = before / file.name if before else None
        old = earlier.read_text("utf-8") if earlier and earlier.exists() else ""
        new = file.read_text("utf-8")
        if step.name >= "3":
            old, new = (text.partition("\nsamples:")[0] for text in (old, new))
        assert not set(new.splitlines()) - set(old.splitlines()) - shown, file
