"""``python -m benchmarks.sgd`` plays a file of dialogs and prints what was remembered."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import sgd
from tests.benchmarks.dialogs.sample_data import data_set


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(data_set()), encoding="utf-8")
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["sgd", *map(str, arguments)])
        status = sgd.main()
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return call


def test_without_the_words_of_the_bot_offers_are_lost(run, data):
    status, out, _ = run(data, "--mode", "user", "--failures", "1")
    assert status == 0
    assert "| all | 7 | 42.9% | 71.4% |" in out
    assert "| accepted, not remembered | 2 |" in out
    assert "1_00000, turn 3, INFORM + INFORM_INTENT + SELECT, matched:" in out
    assert "Garden_1.plant: nothing, not Lady Fern (accepted, not remembered)" in out


def test_as_json_all_failures_are_told(run, data):
    _, out, err = run(data, "--mode", "user", "--json", "--limit", "1")
    ((title, result),) = json.loads(out).items()
    assert title.startswith("one service, user")
    assert result["tables"]["all"][""] == {"turns": 6, "right": 2, "added_none": 4}
    assert [one["number"] for one in result["failures"]] == [3, 5]
    assert "1 of 1 dialogs" in err


def test_dialogs_of_several_services_are_told_apart(run, data):
    _, out, _ = run(data, "--mode", "user")
    assert "## one service, user" in out
    assert "## two dialogs in one, user" in out


def test_a_wrong_file_is_a_clear_error(run, tmp_path):
    status, out, err = run(tmp_path / "none.json")
    assert (status, out) == (2, "")
    assert "none.json cannot be read" in err


def test_a_negative_number_is_refused(run, data):
    with pytest.raises(SystemExit):
        run(data, "--limit", "-1")


def test_a_summary_is_one_table(run, data):
    _, out, _ = run(data, "--mode", "user", "--summary")
    assert out.splitlines() == [
        "| dialogs, mode | turns that rely on memory | right | add no error |",
        "| --- | ---: | ---: | ---: |",
        "| one service, user | 5 | 20.0% | 60.0% |",
        "| two dialogs in one, user | 4 | 25.0% | 50.0% |",
    ]
