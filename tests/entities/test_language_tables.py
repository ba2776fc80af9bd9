"""A language is one folder of tables, which nothing else needs to know of."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import get_args

import pytest

from anaphora.entities.languages import (
    ANY,
    TableName,
    cached_table,
    languages_with,
    load_table,
    load_yaml,
)
from anaphora.entities.words.normalization import base_code

FOLDERS = sorted(
    folder for folder in Path(str(files("anaphora.entities"))).joinpath("languages").iterdir()
    if folder.is_dir() and folder.name != "__pycache__"
)  # fmt: skip
TABLES = get_args(TableName)
DOCS = Path(__file__).parents[2] / "docs" / "languages.md"


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_the_folder_of_a_language_holds_known_tables_and_no_empty_one(folder):
    assert folder.name == base_code(folder.name)
    assert {file.name for file in folder.iterdir()} <= {f"{table}.yaml" for table in TABLES}
    assert all(load_table(folder.name, file.stem) for file in folder.iterdir())


@pytest.mark.parametrize("table", TABLES)
def test_each_table_is_there_in_english(table):
    assert load_table("en", table) or table == "exonyms"
    assert languages_with(table)


def test_a_language_that_the_docs_name_has_its_folder():
    scores = re.findall(r"^\| [A-Z][a-z]+ \(`(\w+)`\) \|", DOCS.read_text("utf-8"), re.MULTILINE)
    assert len(set(scores)) > 15
    assert set(scores) <= {folder.name for folder in FOLDERS}


def test_the_docs_list_the_tables():
    rows = re.findall(r"^\| `\w+\.yaml`.*? \|", DOCS.read_text("utf-8"), re.MULTILINE)
    listed = re.findall(r"`(\w+)\.yaml`", "".join(rows))
    assert sorted(listed) == sorted(TABLES)


def test_languages_are_found_by_their_tables():
    assert {"de", "en", "zh"} <= set(languages_with("dates"))
    assert "en" not in languages_with("exonyms")
    assert ANY not in languages_with("dates")
    assert load_table(ANY, "dates")


def test_a_language_without_a_table_has_an_empty_one():
    assert load_table("eo", "dates") == {}
    assert load_table("../en", "dates") == {}
    assert load_table("", "dates") == {}
    assert load_yaml("anaphora.entities", "nothing.yaml") == {}


def test_a_table_that_is_read_anew_may_be_changed():
    load_table("en", "locale").clear()
    assert load_table("en", "locale") == cached_table("en", "locale") != {}


def test_words_are_words_where_all_values_are_texts():
    assert load_table("nb", "locale", as_text=True)["phone_country"] == "NO"
    assert load_table("de", "locale", as_text=True)["nouns_in_capitals"] == "true"


def test_no_table_is_read_by_an_import():
    code = (
        "import yaml\n"
        "yaml.load = None\n"
        "import anaphora.bots.place_names, anaphora.entities.builtin.dates.date_recognizer\n"
        "import anaphora.entities.builtin.numbers.money_recognizer, anaphora.entities.pipeline\n"
        "import anaphora.entities.builtin.places.place_recognizer\n"
        "import anaphora.entities.builtin.boolean, anaphora.entities.builtin.references.sort\n"
        "import anaphora.intents.confirmation, anaphora.ltm.dates.mentions\n"
        "import anaphora.ltm.summarizers.extractive.facts\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_tables_are_read_without_spacy():
    code = (
        "import sys\n"
        "from anaphora.entities.languages import load_table\n"
        "load_table('de', 'dates')\n"
        "sys.exit('spacy' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
