"""Entries that are safe as soon as they are written."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anaphora.errors import StoreError
from anaphora.ltm.ingestion.journal import DamagedEntry, Journal
from tests.support.examples import examples


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "journal"


@pytest.fixture
def journal(folder):
    journal = Journal(folder, size=1_000)
    yield journal
    journal.close()


def written(journal: Journal) -> list[bytes]:
    return [entry for segment in journal.segments() for entry, _ in segment.entries(0)]


def left(journal: Journal) -> list[bytes]:
    return [entry for segment in journal.orphans() for entry, _ in segment.entries(0)]


@settings(max_examples=examples(50))
@given(entries=st.lists(st.binary(min_size=1, max_size=300), max_size=30))
def test_entries_are_read_in_order_across_segments(entries, tmp_path_factory):
    journal = Journal(tmp_path_factory.mktemp("journal"), size=500)
    for entry in entries:
        journal.append(entry)
    assert written(journal) == entries
    journal.close()


def test_an_oversized_entry_gets_a_segment_of_its_own(journal):
    journal.append(b"short")
    journal.append(b"x" * 5_000)
    journal.append(b"again")
    assert written(journal) == [b"short", b"x" * 5_000, b"again"]


def test_reading_resumes_at_a_position(journal):
    journal.append(b"one")
    (segment,) = journal.segments()
    ((_, position),) = segment.entries(0)
    journal.append(b"two")
    assert [entry for entry, _ in segment.entries(position)] == [b"two"]
    assert [entry for entry, _ in segment.entries(0, position)] == [b"one"]


def test_an_entry_whose_bytes_never_reached_the_disk_is_damaged(journal):
    for entry in (b"one", b"two"):
        journal.append(entry)
    (segment,) = journal.segments()
    (_, _), (_, end) = segment.entries(0)
    with segment.path.open("r+b") as file:
        file.seek(end - 1)
        file.write(b"?")
    read = [entry for entry, _ in segment.entries(0)]
    assert [isinstance(entry, DamagedEntry) for entry in read] == [False, True]


def test_cleared_entries_are_not_in_the_file(journal):
    journal.append(b"a secret")
    journal.append(b"not yet")
    (segment,) = journal.segments()
    (_, first), _ = segment.entries(0)
    journal.clear(segment, 0, first)
    assert b"secret" not in segment.path.read_bytes()
    assert [entry for entry, _ in segment.entries(first)] == [b"not yet"]


def test_files_are_private(journal, folder):
    journal.append(b"one")
    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in (folder, *folder.iterdir())}
    assert set(modes.values()) == {0o700, 0o600}


def test_segments_of_a_living_process_are_not_orphans(journal, folder):
    journal.append(b"mine")
    other = Journal(folder)
    assert left(other) == []
    other.close()


def test_segments_of_a_closed_journal_are_orphans(journal, folder):
    first = Journal(folder)
    first.append(b"left")
    first.close()
    assert left(journal) == [b"left"]


def test_an_empty_journal_leaves_no_files(folder):
    journal = Journal(folder)
    journal.append(b"one")
    (segment,) = journal.segments()
    journal.drop(segment)
    journal.close()
    assert list(folder.iterdir()) == []


def test_the_lock_file_is_deleted_with_the_last_segment(journal, folder):
    gone = Journal(folder)
    gone.append(b"left")
    gone.close()
    for segment in journal.orphans():
        segment.delete()
    assert list(journal.orphans()) == []
    assert [path.suffix for path in folder.iterdir()] == [".lock"]  # of the living one


KILLED = """
import os, signal, sys
from pathlib import Path
from anaphora.ltm.ingestion.journal import DamagedEntry, Journal
journal = Journal(Path(sys.argv[1]))
for number in range(100_000):
    journal.append(b"entry %d" % number)
    os.write(1, b"%d\\n" % number)
"""


def test_entries_survive_kill_9(journal, folder):
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(folder)], stdout=subprocess.PIPE, cwd=Path.cwd()
    ) as process:
        told = [process.stdout.readline() for _ in range(500)]
        process.send_signal(signal.SIGKILL)
        told += process.stdout.readlines()
    last = max(int(line) for line in told if line.endswith(b"\n"))
    found = left(journal)
    assert found[: last + 1] == [b"entry %d" % number for number in range(last + 1)]
    assert len(found) <= last + 2  # one may have been written and not told


def test_a_forked_process_has_files_of_its_own(journal):
    journal.append(b"before")
    child = os.fork()
    if child == 0:
        journal.append(b"of the child")
        os._exit(0 if written(journal) == [b"of the child"] else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    journal.append(b"after")
    assert written(journal) == [b"before", b"after"]
    assert left(journal) == [b"of the child"]


def test_a_folder_that_cannot_be_created_is_reported(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StoreError, match=r"cannot be written: .*choose another folder"):
        Journal(tmp_path / "file" / "journal")


def test_a_full_disk_is_reported_and_loses_nothing(journal, monkeypatch):
    journal.append(b"x" * 900)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("anaphora.ltm.ingestion.journal._preallocate", full)
    with pytest.raises(StoreError, match="No space left"):
        journal.append(b"y" * 900)
    assert written(journal) == [b"x" * 900]
    monkeypatch.undo()
    journal.append(b"z" * 900)
    assert written(journal) == [b"x" * 900, b"z" * 900]


def test_segments_of_another_user_are_reported_once(journal, folder, monkeypatch, caplog):
    left_by_other = Journal(folder)
    left_by_other.append(b"unreadable")
    left_by_other.close()
    opened = os.open

    def refused(path, flags, *mode):
        if str(path).endswith(".lock") and flags == os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return opened(path, flags, *mode)

    monkeypatch.setattr("anaphora.ltm.ingestion.journal.os.open", refused)
    assert (left(journal), left(journal)) == ([], [])
    assert caplog.text.count("cannot be read") == 1


# -- damage ------------------------------------------------------------------------------------

HEAD = 12  # bytes before those of an entry: a mark, a length, a checksum


def segment_of(folder: Path) -> Path:
    (path,) = folder.glob("*.journal")
    return path


def flip(path: Path, position: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[position] ^= 1 << bit
    path.write_bytes(data)


@pytest.fixture
def died(folder):
    """The file that a process has left with a hundred entries, and where each begins."""
    journal = Journal(folder, size=20_000)
    starts = []
    for number in range(100):
        starts.append(sum(HEAD + len(f"entry {each}, and more") for each in range(number)))
        journal.append(f"entry {number}, and more".encode())
    journal.close()
    return segment_of(folder), starts


def test_a_flipped_bit_in_the_51st_of_100_entries_loses_only_that_one(folder, died):
    path, starts = died
    flip(path, starts[50] + HEAD + 4)
    read = left(Journal(folder))
    assert len(read) == 100
    assert [entry for entry in read if not isinstance(entry, DamagedEntry)] == [
        f"entry {number}, and more".encode() for number in range(100) if number != 50
    ]
    (damaged,) = (entry for entry in read if isinstance(entry, DamagedEntry))
    assert len(damaged) == len(b"entry 50, and more") + HEAD  # with its length and checksum


@settings(max_examples=examples(300), deadline=None)
@example(place=99, offset=0, bit=0)
@given(place=st.integers(0, 99), offset=st.integers(0, 30), bit=st.integers(0, 7))
def test_any_flipped_bit_loses_one_entry_only(place, offset, bit, tmp_path_factory):
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder, size=20_000)
    entries = [f"entry {number:03}, and more".encode() for number in range(100)]
    for entry in entries:
        journal.append(entry)
    journal.close()
    flip(segment_of(folder), place * (HEAD + 19) + offset, bit)
    read = left(Journal(folder))
    assert [entry for entry in read if not isinstance(entry, DamagedEntry)] == [
        entry for number, entry in enumerate(entries) if number != place
    ]
    assert sum(isinstance(entry, DamagedEntry) for entry in read) == 1


@settings(max_examples=examples(100), deadline=None)
@given(
    entries=st.lists(st.binary(min_size=1, max_size=60), min_size=1, max_size=20),
    begin=st.integers(0, 1_500),
    noise=st.binary(min_size=1, max_size=200),
)
def test_damage_does_not_affect_other_entries(entries, begin, noise, tmp_path_factory):
    folder = tmp_path_factory.mktemp("journal")
    journal = Journal(folder, size=4_000)
    for entry in entries:
        journal.append(entry)
    journal.close()
    path = segment_of(folder)
    data = bytearray(path.read_bytes())
    data[begin : begin + len(noise)] = noise
    path.write_bytes(data)
    at, untouched = 0, []
    for entry in entries:
        end = at + HEAD + len(entry)
        if end <= begin or at >= begin + len(noise):
            untouched.append(entry)
        at = end
    read = iter([bytes(entry) for entry in left(Journal(folder))])
    assert all(entry in read for entry in untouched)  # in their order


def test_an_incomplete_last_entry_is_the_end(folder, died):
    path, starts = died
    end = starts[-1] + HEAD + len(b"entry 99, and more")
    data = bytearray(path.read_bytes())
    data[end + HEAD : end + HEAD + 12] = b"half written"  # its length and checksum come last
    path.write_bytes(data)
    read = left(Journal(folder))
    assert len(read) == 100
    assert not any(isinstance(entry, DamagedEntry) for entry in read)


def test_a_damaged_last_entry_is_reported(folder, died):
    path, starts = died
    flip(path, starts[99] + HEAD + 4)
    read = left(Journal(folder))
    assert [isinstance(entry, DamagedEntry) for entry in read] == [False] * 99 + [True]


def test_cleared_entries_are_not_damaged(folder, died):
    path, starts = died
    data = path.read_bytes()
    path.write_bytes(bytes(starts[40]) + data[starts[40] :])
    assert len(left(Journal(folder))) == 60


@pytest.mark.parametrize("pattern", [b"\x10\0\0\0", b"\x01", b"\xff", b"\xffAE\xff"])
def test_a_damaged_file_is_read_in_linear_time(pattern, folder, monkeypatch):
    """Whatever the damage looks like, no byte is summed up again and again."""
    journal = Journal(folder, size=1 << 20)
    journal.append(b"first")
    journal.append(b"x" * 1_000_000)
    journal.append(b"last")
    journal.close()
    path = segment_of(folder)
    data = bytearray(path.read_bytes())
    begin, length = HEAD + len(b"first"), HEAD + 1_000_000
    data[begin : begin + length] = (pattern * length)[:length]
    path.write_bytes(data)
    summed_up, real = 0, zlib.crc32

    def crc32(data: memoryview) -> int:
        nonlocal summed_up
        summed_up += len(data)
        return real(data)

    monkeypatch.setattr("anaphora.ltm.ingestion.journal.zlib.crc32", crc32)
    read = left(Journal(folder))
    assert (read[0], read[-1]) == (b"first", b"last")
    assert all(isinstance(entry, DamagedEntry) for entry in read[1:-1])
    assert summed_up < 10 * len(data)
