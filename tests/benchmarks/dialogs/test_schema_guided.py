"""The data is read from one file or from a folder; what is wrong with it is said."""

from __future__ import annotations

import gzip
import json

import pytest

from benchmarks.dialogs.schema_guided import Action, DataError, load_data
from tests.benchmarks.dialogs.sample_data import data_set


def test_a_file_has_services_and_dialogs(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(data_set()), encoding="utf-8")
    garden, library = load_data(path)
    assert [service.name for service in garden.services + library.services] == [
        "Garden_1",
        "Library_1",
    ]
    first = garden.exchanges[0]
    assert first.acts == {"INFORM", "INFORM_INTENT"}
    assert first.frames[0].spans == {"kind": (31, 36)}
    assert first.frames[0].state == {"kind": ("shade",)}
    assert first.answer_frames[0].actions[0] == Action("OFFER", "plant", "Lady Fern", "Lady Fern")


def test_it_may_be_compressed_or_a_folder(tmp_path):
    data = data_set()
    path = tmp_path / "data.json.gz"
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    folder = tmp_path / "dev"
    folder.mkdir()
    (folder / "schema.json").write_text(json.dumps(data["schema"]), encoding="utf-8")
    for number, dialog in enumerate(data["dialogues"], 1):
        official = {**dialog, "dialogue_id": dialog["id"]}
        (folder / f"dialogues_{number:03}.json").write_text(json.dumps([official]), "utf-8")
    assert load_data(path) == load_data(folder)


def test_an_offer_has_what_an_intent_acts_with(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(data_set()), encoding="utf-8")
    garden, library = (dialog.services[0] for dialog in load_data(path))
    assert garden.state_slots == {"kind", "plant", "pots", "day"}
    assert garden.offered_slots == {"plant", "pots", "day"}
    assert library.offered_slots == {"title"}  # it only searches


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"\x1f\x8b broken", "cannot be read"),
        (b"[]", "no keys 'schema' and 'dialogues'"),
        (b'{"schema": [], "dialogues": [{"id": "1"}]}', "not in the format"),
        (b'{"schema": [], "dialogues": 3}', "not in the format"),
        (b'{"schema": [], "dialogues": [{"turns": [{"speaker": "USER"}]}]}', "do not take turns"),
    ],
)
def test_what_is_no_data_is_reported(content, said, tmp_path):
    path = tmp_path / "data.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=said):
        load_data(path)


def test_a_missing_file_and_an_empty_folder_are_reported(tmp_path):
    with pytest.raises(DataError, match=r"none\.json cannot be read"):
        load_data(tmp_path / "none.json")
    with pytest.raises(DataError, match="has no files"):
        load_data(tmp_path)
