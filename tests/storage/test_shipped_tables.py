from __future__ import annotations

import pytest

from anaphora.storage import shipped_tables
from anaphora.storage.cache import Cache
from anaphora.storage.shipped_tables import ShippedTables, table_parts


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The folder of another package, with a table in YAML."""
    folder = tmp_path / "package"
    for name in ("grammar", "models", "entities"):
        (folder / name).mkdir(parents=True)
    (folder / "entities" / "words.yaml").write_text("a: b")
    monkeypatch.setattr(shipped_tables, "PACKAGE", folder)
    monkeypatch.setattr("anaphora.storage.cache.PACKAGE", folder)
    monkeypatch.setattr(shipped_tables, "SHIPPED", ShippedTables(folder / "prepared"))
    shipped_tables._file_sizes.cache_clear()
    yield folder
    shipped_tables._file_sizes.cache_clear()


def test_a_table_of_this_version_is_read(package):
    table_parts(shipped_tables.SHIPPED, "words", "en")("part", lambda: ["compiled"])
    assert table_parts(None, "words", "en")("part", list) == ["compiled"]
    assert table_parts(None, "words", "de")("part", list) == []
    assert table_parts(None, "words", "en")("another", list) == []


@pytest.mark.parametrize("name", ["words.yaml", "reader.py"])
def test_after_a_change_of_the_code_or_a_table_the_files_are_stale(package, name):
    table_parts(shipped_tables.SHIPPED, "words", "en")("part", lambda: ["compiled"])
    with (package / "entities" / name).open("a") as file:
        file.write("# changed")
    shipped_tables._file_sizes.cache_clear()  # another process
    assert table_parts(None, "words", "en")("part", list) == []


def test_files_of_another_version_are_stale(package, monkeypatch):
    table_parts(shipped_tables.SHIPPED, "words", "en")("part", lambda: ["compiled"])
    monkeypatch.setattr(shipped_tables, "__version__", "99.0")
    shipped_tables._file_sizes.cache_clear()
    assert table_parts(None, "words", "en")("part", list) == []


def test_what_is_not_shipped_is_cached(package, tmp_path):
    parts = table_parts(Cache(tmp_path / "cache"), "words", "en")
    assert parts("part", lambda: ["compiled"]) == ["compiled"]
    assert parts("part", list) == ["compiled"]
    assert not (package / "prepared").exists()


def test_reading_changes_no_file(package):
    table_parts(shipped_tables.SHIPPED, "words", "en")("part", lambda: ["compiled"])
    (path,) = (package / "prepared").iterdir()
    before = path.stat()
    table_parts(None, "words", "en")("part", list)
    assert path.stat().st_mtime_ns == before.st_mtime_ns
