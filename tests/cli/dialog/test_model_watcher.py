"""Watching a model file and its imports for changes."""

from __future__ import annotations

import os

import pytest

from anaphora import ModelError
from anaphora.cli.dialog.model_watcher import WatchedModel

MODEL = "id: m\nelements: [{id: tea}, {id: milk}]\nintents: [\"import('orders.idl')\"]\n"


@pytest.fixture
def write(tmp_path):
    """A function that writes a file with a later modification time on each call."""
    count = iter(range(1, 100))

    def put(name: str, text: str):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        os.utime(file, ns=(0, next(count) * 10**9))
        return file

    return put


def test_imported_files_are_watched(write):
    write("orders.idl", "intent=one term={# == 'tea'}")
    model = WatchedModel(str(write("m.yaml", MODEL)))
    assert model.reload_if_changed() == ""
    write("orders.idl", "intent=two term={# == 'tea'}")
    assert model.reload_if_changed() == "reloaded m.yaml"
    assert model.engine.ask("tea").intent == "two"
    assert model.reload_if_changed() == ""


def test_a_watched_model_can_use_a_cache(write, tmp_path):
    write("orders.idl", "intent=one term={# == 'tea'}")
    file = write("m.yaml", MODEL.replace("import('orders.idl')", "intent=one term={# == 'tea'}"))
    model = WatchedModel(str(file), cache=tmp_path / "cache")
    assert list((tmp_path / "cache").glob("model-*"))
    write("m.yaml", MODEL)
    assert model.reload_if_changed() == "reloaded m.yaml"


def test_new_imports_of_a_changed_file_are_watched(write):
    write("orders.idl", "intent=one term={# == 'tea'}")
    model = WatchedModel(str(write("m.yaml", MODEL)))
    write("more.idl", "fragment=f term={# == 'milk'}")
    write("orders.idl", "import('more.idl') intent=two term={# == 'tea'} fragment(f)")
    assert model.reload_if_changed()
    write("more.idl", "fragment=f term={# == 'milk'}?")
    assert model.reload_if_changed()
    assert model.engine.ask("tea").intent == "two"


def test_a_mistake_in_an_imported_file_is_reported_once_and_the_old_model_stays(write):
    write("orders.idl", "intent=one term={# == 'tea'}")
    model = WatchedModel(str(write("m.yaml", MODEL)))
    write("orders.idl", "intent=one term={# = 'tea'}")
    with pytest.raises(ModelError, match=r"orders\.idl:1:20"):
        model.reload_if_changed()
    assert model.reload_if_changed() == ""
    assert model.engine.ask("tea").intent == "one"
