"""A folder of what has been compiled: it may be damaged, shared, or not there at all."""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from anaphora.errors import AnaphoraError
from anaphora.storage.cache import Cache, digest

DATA = {"names": ["a", "b"], "numbers": b"\0\1\2", "more": {"of": [1, None, 2.5]}}


def file_of(cache: Cache):
    (path,) = cache.folder.iterdir()
    return path


def test_what_was_put_is_there_for_the_next_process(tmp_path):
    Cache(tmp_path / "not" / "there yet").put("model", "key", DATA)
    assert Cache(tmp_path / "not" / "there yet").get("model", "key") == DATA


def test_what_was_not_put_is_not_there(tmp_path):
    cache = Cache(tmp_path)
    cache.put("model", "key", DATA)
    assert cache.get("model", "another") is cache.get("phrases", "key") is None
    assert Cache(tmp_path / "no folder").get("model", "key") is None


def test_a_home_may_be_written_as_a_tilde(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    Cache("~/cache").put("model", "key", DATA)
    assert Cache(tmp_path / "cache").get("model", "key") == DATA


@pytest.mark.parametrize("length", [0, 5, 30, 60, -1])
def test_a_file_that_was_cut_off_is_as_none(tmp_path, length):
    cache = Cache(tmp_path)
    cache.put("model", "key", DATA)
    path = file_of(cache)
    path.write_bytes(path.read_bytes()[:length])
    assert cache.get("model", "key") is None
    cache.put("model", "key", DATA)
    assert cache.get("model", "key") == DATA


def test_a_file_with_any_other_byte_is_as_none(tmp_path):
    cache = Cache(tmp_path)
    cache.put("model", "key", DATA)
    path = file_of(cache)
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert cache.get("model", "key") is None


def test_what_is_no_file_of_ours_is_as_none(tmp_path):
    cache = Cache(tmp_path)
    cache.put("model", "key", DATA)
    path = file_of(cache)
    for foreign in (b"", b"{}", b"\x80\x04N.", os.urandom(500)):
        path.write_bytes(foreign)
        assert cache.get("model", "key") is None


def test_a_folder_that_cannot_be_made_keeps_nothing_and_says_so(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "cache")
    with caplog.at_level(logging.WARNING):
        cache.put("model", "key", DATA)
    assert "cannot be cached" in caplog.text
    assert cache.get("model", "key") is None


@pytest.mark.parametrize("folder", ["~nobody-of-that-name/cache", "a\0b"])
def test_what_can_be_no_folder_is_told_at_once(folder):
    with pytest.raises(AnaphoraError, match="cannot be a cache folder"):
        Cache(folder)


def test_another_user_of_the_machine_can_read_it(tmp_path):
    Cache(tmp_path).put("model", "key", 1)
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o644


def test_what_a_killed_process_left_is_removed_in_time(tmp_path):
    left, new = tmp_path / "old.unfinished", tmp_path / "new.unfinished"
    for path in (left, new):
        path.write_bytes(b"half")
    os.utime(left, (0, 0))
    Cache(tmp_path).put("model", "key", 1)
    assert not left.exists()
    assert new.exists()


def test_many_may_write_the_same_at_once(tmp_path):
    cache = Cache(tmp_path)
    large = {"bytes": bytes(300_000)}

    def write_and_read(_: int) -> bool:
        cache.put("model", "key", large)
        return cache.get("model", "key") == large

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(write_and_read, range(80)))
    assert len(list(tmp_path.iterdir())) == 1


def test_what_has_not_been_used_for_longest_goes_first(tmp_path):
    cache = Cache(tmp_path)
    for number in range(200):
        cache.put("model", str(number), number)
    for number, path in enumerate(sorted(tmp_path.iterdir(), key=lambda path: len(path.name))):
        os.utime(path, (number, number))
    cache.get("model", "0")
    for number in range(200, 210):
        cache.put("model", str(number), number)
    assert len(list(tmp_path.iterdir())) == 200
    assert cache.get("model", "0") == 0
    assert cache.get("model", "209") == 209


def test_keys_tell_all_their_parts_apart():
    keys = {
        digest(*parts)
        for parts in [
            (),
            ("",),
            ("ab",),
            ("a", "b"),
            ("", "ab"),
            (b"ab",),
            ("ab", b""),
            ("\ud800",),
        ]
    }
    assert len(keys) == 8
    assert digest("a", b"b") == digest("a", b"b")


def test_bytes_are_there_for_the_next_process(tmp_path):
    Cache(tmp_path).put_bytes("words", "key", b"many words")
    kept = Cache(tmp_path).get_bytes("words", "key")
    assert kept is not None
    assert bytes(kept) == b"many words"
    assert kept.readonly
    assert Cache(tmp_path).get_bytes("words", "another") is None


def test_bytes_that_were_damaged_are_as_none(tmp_path):
    cache = Cache(tmp_path)
    cache.put_bytes("words", "key", b"many words")
    path = file_of(cache)
    whole = path.read_bytes()
    for damaged in (b"", whole[:5], whole[:-1], whole[:-1] + b"z", b"x" + whole[1:]):
        path.write_bytes(damaged)
        assert cache.get_bytes("words", "key") is None
    cache.put_bytes("words", "key", b"other words")
    assert bytes(cache.get_bytes("words", "key") or b"") == b"other words"
