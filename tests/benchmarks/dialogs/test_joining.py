"""Two dialogs of different services become one with a change of topic."""

from __future__ import annotations

import json

from benchmarks.dialogs.joining import join_dialogs
from benchmarks.dialogs.schema_guided import load_data
from tests.benchmarks.dialogs.sample_data import GARDEN, LIBRARY, garden_dialog, library_dialog


def load(tmp_path, *dialogs):
    path = tmp_path / "data.json"
    path.write_text(json.dumps({"schema": [GARDEN, LIBRARY], "dialogues": dialogs}), "utf-8")
    return load_data(path)


def test_nobody_says_goodbye_in_the_middle(tmp_path):
    (joined,) = join_dialogs(load(tmp_path, garden_dialog(), library_dialog()))
    assert [service.name for service in joined.services] == ["Garden_1", "Library_1"]
    texts = [exchange.text for exchange in joined.exchanges]
    assert texts[-2:] == ["Yes, it is.", "Do you have Emma?"]


def test_every_dialog_is_used_once_and_none_is_paired_with_its_own_service(tmp_path):
    dialogs = [garden_dialog(f"1_{i}") for i in range(3)] + [library_dialog("2_0")]
    (joined,) = join_dialogs(load(tmp_path, *dialogs))
    assert joined.id == "1_2+2_0"
    assert not join_dialogs(load(tmp_path, garden_dialog()))
