"""Detect changes of files."""

from __future__ import annotations

from pathlib import Path

from anaphora.models.reading.file_watcher import FileWatcher


def test_each_change_is_detected_once(tmp_path: Path) -> None:
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("a")
    second.write_text("b")
    watcher = FileWatcher([first, second])
    assert not watcher.has_changed()
    first.write_text("aa")
    second.write_text("bb")
    assert watcher.has_changed()
    assert not watcher.has_changed()


def test_a_missing_or_empty_file_has_not_changed_until_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a")
    watcher = FileWatcher([file])
    file.write_text("")
    assert not watcher.has_changed()
    file.unlink()
    assert not watcher.has_changed()
    file.write_text("abc")
    assert watcher.has_changed()


def test_a_file_that_was_missing_during_a_change_has_changed_when_it_is_back(
    tmp_path: Path,
) -> None:
    model, imported, away = (tmp_path / name for name in ("a.yaml", "b.idl", "away"))
    model.write_text("a")
    imported.write_text("b")
    watcher = FileWatcher([model, imported])
    imported.rename(away)
    model.write_text("aa")
    assert watcher.has_changed()
    assert not watcher.has_changed()
    away.rename(imported)
    assert watcher.has_changed()
    assert not watcher.has_changed()


def test_files_that_are_watched_further_keep_their_state(tmp_path: Path) -> None:
    old, new = tmp_path / "a.yaml", tmp_path / "b.yaml"
    old.write_text("a")
    new.write_text("b")
    watcher = FileWatcher([old])
    old.write_text("aa")
    watcher.watch([old, new])
    assert watcher.has_changed()
    new.write_text("bb")
    assert watcher.has_changed()
