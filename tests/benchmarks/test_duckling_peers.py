"""Other packages beside the built-in entities: each in what it supports, and only if installed."""

from __future__ import annotations

import json

import pytest

from benchmarks.duckling import __main__ as command
from benchmarks.duckling.peers import PEERS, Peer
from benchmarks.duckling.phrases import Phrase

BY_NAME = {peer.name: peer for peer in PEERS}
MISSING = Peer("noreader", "no_such_reader", {"Numeral": None}, lambda phrase: True)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "phrases.jsonl"
    row = {"lang": "en", "kind": "Numeral", "phrase": "eleven", "expect": [11]}
    path.write_text(json.dumps(row), encoding="utf-8")
    return path


def run(monkeypatch, capsys, data, peers):
    monkeypatch.setattr("sys.argv", ["duckling", str(data), "--peers"])
    monkeypatch.setattr(command, "PEERS", peers)
    assert command.main() == 0
    return capsys.readouterr()


def test_a_package_that_is_not_installed_is_named_and_left_out(monkeypatch, capsys, data):
    printed = run(monkeypatch, capsys, data, (MISSING,))
    assert printed.err == "note: noreader is not installed: pip install 'anaphora[peers]'\n"
    assert "noreader" not in printed.out


def test_a_package_has_a_share_only_of_what_it_supports(monkeypatch, capsys, data):
    always = Peer("always", "json", {"Numeral": ("en",)}, lambda phrase: True)
    german = Peer("german", "json", {"Numeral": ("de",)}, lambda phrase: True)
    printed = run(monkeypatch, capsys, data, (always, german))
    assert (
        printed.out.splitlines()[-1] == "| Numeral | en | 1 | 1.000 | 1.000 | 1.000 | 1.000 | – |"
    )


@pytest.mark.parametrize(
    ("name", "phrase"),
    [
        ("dateparser", Phrase("en", "Time", "at 5 pm", ("at", "2013-02-12T17:00:00", "Hour"))),
        ("quantulum3", Phrase("en", "AmountOfMoney", "13 euros", ("EUR", 13.0))),
        ("quantulum3", Phrase("en", "Duration", "3 weeks", (3, "Week"))),
        ("price-parser", Phrase("fr", "AmountOfMoney", "13 €", ("EUR", 13.0))),
        ("text2num", Phrase("de", "Numeral", "dreiundzwanzig", (23.0,))),
        ("text2num", Phrase("it", "Ordinal", "quinto", (5,))),
    ],
)  # fmt: skip
def test_a_package_reads_what_it_is_made_for(name, phrase):
    peer = BY_NAME[name]
    if not peer.is_installed:
        pytest.skip(f"{name} is not installed")
    assert peer.reads(phrase.kind, phrase.language)
    assert peer.is_right(phrase)
    wrong = (*phrase.expected[:-2], "2001-01-01T00:00:00", phrase.expected[-1])
    other = wrong if phrase.kind == "Time" else _change_number(phrase.expected)
    assert not peer.is_right(Phrase(phrase.language, phrase.kind, phrase.text, other))


def _change_number(expected):
    return tuple([one + 1 if isinstance(one, int | float) else one for one in expected])
