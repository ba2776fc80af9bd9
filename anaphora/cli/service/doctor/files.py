"""Check the files and folders of a deployment."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from anaphora.cli.service.doctor.finding import Finding, error, ok, warning
from anaphora.errors import StoreError
from anaphora.storage.sqlite.applications import CONTENT_NAMES
from anaphora.storage.sqlite.backup import find_damage, inspect_file

__all__ = ["check_database", "check_folder", "check_private", "check_space"]

_GIGABYTE = 1 << 30
_LITTLE_SPACE, _NO_SPACE = _GIGABYTE, _GIGABYTE // 10
_LONG_LOG = 64 << 20  # bytes
_NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "afs", "fuse.sshfs", "9p"})
_MOUNTS = Path("/proc/self/mounts")
_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def check_database(subject: str, path: Path, application: int) -> Iterator[Finding]:
    """Check the SQLite file of a store: its content, permissions, log and folder. Writes nothing,
    and creates no file."""
    path = Path(os.path.realpath(path))
    yield from check_folder(subject, path.parent)
    if kind := _network_kind(path.parent):
        yield error(
            subject,
            f"{path} is on a network share ({kind}), where the locks of SQLite do not work",
            "keep the file on a local disk, or use Redis or PostgreSQL",
        )
    if not path.exists():
        yield ok(subject, f"{path} will be created")
        return
    yield _check_content(subject, path, application)
    yield from check_private(subject, path)
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size > _LONG_LOG:
        yield warning(
            subject,
            f"{log} has {log.stat().st_size >> 20} MB",
            "a program keeps an old read transaction open: end it",
        )


def check_folder(subject: str, folder: Path) -> Iterator[Finding]:
    """Check that files can be created in a folder, or the folder itself."""
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        yield error(subject, f"{there} is not a folder", "name another path")
    elif not os.access(there, os.W_OK | os.X_OK):
        yield error(
            subject,
            f"this user may not write to the folder {there}",
            f"chown it to the user of the service: chown USER {there}",
        )


def check_private(subject: str, path: Path) -> Iterator[Finding]:
    """Check that this user may read and write a file, and nobody else."""
    if not os.access(path, os.R_OK | os.W_OK):
        yield error(
            subject,
            f"this user may not read and write {path}",
            f"chown it to the user of the service: chown USER {path}",
        )
    if os.name != "nt" and (mode := stat.S_IMODE(path.stat().st_mode)) & _OTHERS:
        yield warning(
            subject, f"others may access {path} (its mode is {mode:o})", f"chmod 600 {path}"
        )


def check_space(folders: Iterator[Path]) -> Iterator[Finding]:
    """Check the free space of the disks on which folders are."""
    disks: dict[int, Path] = {}
    for folder in folders:
        there = next(one for one in (folder, *folder.parents) if one.exists())
        disks.setdefault(there.stat().st_dev, there)
    for folder in disks.values():
        free = shutil.disk_usage(folder).free
        message = f"{free / _GIGABYTE:.1f} GB are free for {folder}"
        if free >= _LITTLE_SPACE:
            yield ok("disk", message)
        else:
            found = error if free < _NO_SPACE else warning
            yield found("disk", message, "make room: a store on a full disk refuses questions")


def _check_content(subject: str, path: Path, application: int) -> Finding:
    try:
        there = inspect_file(path) if path.stat().st_size else application
        if there != application:
            return error(
                subject,
                f"{path} holds {CONTENT_NAMES[there]} instead of {CONTENT_NAMES[application]}",
                "name another file",
            )
        damage = find_damage(path)
    except StoreError as failure:
        return error(subject, str(failure), "name another file, or restore a backup")
    if damage:
        return error(
            subject, f"{path} is damaged: {damage[0]}", "restore a backup: anaphora restore"
        )
    return ok(subject, f"{path} is sound ({path.stat().st_size / (1 << 20):.1f} MB)")


def _network_kind(folder: Path) -> str:
    """The kind of the network share on which a folder is; '' if it is on a local disk."""
    try:
        lines = _MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:  # not on Linux
        return ""
    found = max(
        (
            (len(mount), kind)
            for _, mount, kind, *_ in map(str.split, lines)
            if folder.is_relative_to(mount)
        ),
        default=(0, ""),
    )
    return found[1] if found[1] in _NETWORK else ""
