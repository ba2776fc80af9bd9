"""``anaphora quarantine`` lists what a long-term memory has put aside, and tries or drops it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from typer.testing import CliRunner

from anaphora.cli import app
from anaphora.errors import AnaphoraError
from anaphora.ltm.memory import LongTermMemory
from tests.ltm.talk import ANN, said


@pytest.fixture
def url(tmp_path) -> str:
    """A memory with two damaged exchanges."""
    url = f"sqlite:///{tmp_path}/memory.db"
    with LongTermMemory(url, summarizer=None) as memory:
        for word in ("one", "two", "three"):
            memory.add(ANN, said(word))
        assert memory.flush()
        with closing(sqlite3.connect(tmp_path / "memory.db")) as file, file:
            file.execute("UPDATE exchanges SET rest = x'7b' WHERE number < 3")
        assert len(memory.latest(ANN, 9)) == 1
    return url


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["quarantine", *arguments])
    if isinstance(result.exception, AnaphoraError):
        raise result.exception
    assert result.exit_code == 0
    return result.output


def test_it_lists_what_was_put_aside_and_why(url):
    first, second = run(url).splitlines()
    assert re.fullmatch(r"1  exchange  \d{4}-.*  ann with weather: .*damaged.*", first)
    assert second.startswith("2  exchange")


def test_an_item_can_be_dropped(url):
    assert run(url, "--drop", "1") == "1 is dropped\n"
    assert run(url).startswith("2  exchange")
    assert run(url, "--drop", "all") == "2 is dropped\n"
    assert run(url) == "nothing is in quarantine\n"


def test_what_is_still_unreadable_stays(url):
    with pytest.raises(AnaphoraError, match="1 is not in quarantine, or is still unreadable"):
        run(url, "--retry", "1")
    assert len(run(url).splitlines()) == 2


def test_an_item_that_is_not_there_is_an_error(url):
    with pytest.raises(AnaphoraError, match="77 is not in quarantine"):
        run(url, "--drop", "77")


@pytest.mark.parametrize("content", [None, b"", b"no database"])
def test_a_mistyped_file_is_an_error_and_nothing_is_created(tmp_path, monkeypatch, content):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "memroy.db").write_bytes(content)
    before = list(tmp_path.iterdir())
    with pytest.raises(AnaphoraError) as told:
        run("sqlite:///memroy.db")
    assert str(told.value).startswith("memroy.db: ")
    assert "hint: name the file of the long-term memory" in str(told.value)
    assert list(tmp_path.iterdir()) == before
    assert content is None or (tmp_path / "memroy.db").read_bytes() == content


def test_a_folder_is_no_file_of_a_memory(tmp_path):
    with pytest.raises(AnaphoraError, match="there is no such file"):
        run(f"sqlite:///{tmp_path}")


def test_a_memory_without_a_file_is_refused():
    with pytest.raises(AnaphoraError, match="memory: is empty in each process"):
        run("memory:")


def test_a_url_that_names_no_file_is_an_error():
    with pytest.raises(AnaphoraError, match="names no file"):
        run("sqlite://memory.db")


def test_the_help_shows_an_example_and_how_the_argument_is_called():
    shown = CliRunner().invoke(app, ["quarantine", "--help"]).output
    assert "Example: anaphora quarantine sqlite:///memory.db --retry all" in shown
    assert "{URL}" in shown.splitlines()[0]
