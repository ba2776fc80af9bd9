"""Realistic conversations with bots that are written as in the docs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from anaphora import Engine, Reply, load_model
from anaphora.cli import app

FOLDER = Path(__file__).parent
CONVERSATIONS = sorted((FOLDER / "conversations").glob("*.yaml"))
MONDAY = datetime(2026, 11, 23, 10, tzinfo=UTC)


def engine_of(name: str) -> Engine:
    return Engine(load_model(FOLDER / "models" / f"{name}.yaml"))


def talk(model: str, *questions: str) -> list[Reply]:
    """The replies to questions ten seconds apart."""
    engine = engine_of(model)
    times = (MONDAY + timedelta(seconds=10) * number for number in range(len(questions)))
    return [
        engine.ask(text, at=at, explain=True) for text, at in zip(questions, times, strict=True)
    ]


@pytest.mark.parametrize("file", CONVERSATIONS, ids=lambda file: file.stem)
def test_users_get_the_expected_answers(file):
    conversation = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
    dialog = conversation["dialog"]
    replies = talk(conversation["model"], *(question for question, _, _ in dialog))
    said = [
        [question, reply.status, reply.text or reply.reason]
        for (question, _, _), reply in zip(dialog, replies, strict=True)
    ]
    assert said == dialog


def test_some_conversations_have_fifteen_turns():
    lengths = [
        len(yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)["dialog"])
        for file in CONVERSATIONS
    ]
    assert len(lengths) >= 4
    assert min(lengths) >= 15


@pytest.mark.parametrize("name", ["bank", "help_desk", "hotel"])
def test_the_models_pass_the_strict_check(name):
    file = FOLDER / "models" / f"{name}.yaml"
    result = CliRunner().invoke(app, ["check", str(file), "--strict"])
    assert (result.exit_code, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("model", "questions", "why"),
    [
        (
            "bank",
            ["Send 100 to Ann", "tomorrow", "no, on May 5"],
            ["amount=100 EUR, 2 questions ago", "date=2026-11-24, evicted by date=2027-05-05"],
        ),
        (
            "bank",
            ["Send 100 to Ann", "do not send 50 euros to Mary"],
            ["refusal from 'do not send'", "it leaves fewer negating or restricting words unused"],
        ),
        (
            "bank",
            ["Get 50 euros sent to Mary"],
            ["payee=Mary from 'Mary'", "match 1: send"],
        ),
        (
            "hotel",
            ["A room from December 20 for two people with parking", "without parking"],
            [
                "without (group extra) from 'without parking'",
                "extra=parking from 'parking', a part of 'without",
            ],
        ),
        (
            "help_desk",
            ["My laptop does not start", "it is not broken"],
            ["fine", "device=laptop"],
        ),
    ],
)
def test_explanations_name_the_deciding_rule(model, questions, why):
    text = str(talk(model, *questions)[-1].explanation)
    for part in why:
        assert part in text, text
