"""What an engine with a cache folder reads when a second process starts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_START = """
import sys
from pathlib import Path

from anaphora import Engine
from anaphora.entities.builtin.dates.grammar import date_grammar
from anaphora.entities.builtin.dates.named_days import day_names
from anaphora.entities.builtin.places import place_tables
from anaphora.entities.builtin.places.gazetteer import geonames
from anaphora.entities.cues import cue_words
from anaphora.storage import shipped_tables

shipped_tables.SHIPPED = shipped_tables.ShippedTables(Path("nothing"))
if sys.argv[2] == "second":
    date_grammar._compile_language = day_names._compile_language = cue_words._collect = None
    geonames.read_json_table = place_tables._read_names = place_tables._read_words = None
engine = Engine("weather", cache=sys.argv[1])
for text in ("weather in Tokyo tomorrow?", "no, in Kyoto", "а в Москве?"):
    print(engine.ask(text, user="ann").text)
"""


def start(folder: Path, which: str) -> str:
    command = [sys.executable, "-c", _START, str(folder), which]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def test_a_second_process_compiles_no_table_of_languages_or_places(tmp_path: Path) -> None:
    answers = start(tmp_path / "cache", "first")
    assert "Tokyo" in answers
    assert start(tmp_path / "cache", "second") == answers
