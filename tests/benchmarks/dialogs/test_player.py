"""Dialogs are played through the engine: what the bot offers counts once it is accepted."""

from __future__ import annotations

import json

import pytest

from benchmarks.dialogs.player import Player
from benchmarks.dialogs.schema_guided import load_data
from benchmarks.dialogs.scoring import score_dialog
from tests.benchmarks.dialogs.sample_data import GARDEN, LIBRARY, garden_dialog, mixed_dialog


@pytest.fixture
def load(tmp_path):
    def call(dialog):
        path = tmp_path / "data.json"
        path.write_text(json.dumps({"schema": [GARDEN, LIBRARY], "dialogues": [dialog]}), "utf-8")
        return load_data(path)[0]

    return call


@pytest.mark.parametrize("mode", ["acts", "text"])
@pytest.mark.parametrize("make", [garden_dialog, mixed_dialog])
def test_offers_and_corrections_are_remembered(mode, make, load):
    dialog = load(make())
    scores = score_dialog(dialog.id, Player(mode).play(dialog))
    assert not [failure for score in scores for failure in score.failures]


def test_without_the_words_of_the_bot_only_the_user_counts(load):
    dialog = load(garden_dialog())
    last = Player("user").play(dialog)[-1]
    assert last.remembered == {"Garden_1.kind": "shade", "Garden_1.day": "Sunday"}
    assert last.offered["Garden_1.plant"] == "Lady Fern"


def test_what_the_bot_only_tells_is_no_wish_of_the_user(load):
    dialog = load(garden_dialog())
    second = Player("acts").play(dialog)[1]
    assert "Garden_1.pots" not in second.remembered


def test_dialogs_do_not_affect_each_other(load):
    dialog = load(garden_dialog())
    player = Player("text")
    assert [turn.remembered for turn in player.play(dialog)] == [
        turn.remembered for turn in Player("text").play(load(garden_dialog("1_00001")))
    ]
