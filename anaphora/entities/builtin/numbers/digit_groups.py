"""Digits grouped by thousands, for readers that have atoms and not their text."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.entities.builtin.atoms import Atom

__all__ = ["find_groups_end"]

_GROUP_SIZE = 3  # digits


def find_groups_end(found: Sequence[Atom], at: int, marks: str) -> int:
    """Return the end of the groups of digits that begin at an atom (12 500, 1,000,000): behind
    that atom, if no groups follow. Between them stand blanks, or always the same one of
    ``marks``."""
    end = at + 1
    if found[at].kind != "digits" or len(found[at].text) > _GROUP_SIZE or found[at].text[0] == "0":
        return end
    for mark in ("", *marks):
        if (last := _groups_end(found, end, mark)) > end:
            return last
    return end


def _groups_end(found: Sequence[Atom], at: int, mark: str) -> int:
    """The end of the groups behind ``mark`` (a blank, if it is empty) from an atom on; that atom,
    if they are none."""
    end, step = at, 2 if mark else 1
    while end + step <= len(found) and _is_group(found, end, mark):
        end += step
    follows = found[end] if end < len(found) else None
    if follows is None or follows.kind != "digits":
        return end
    return at  # 12 345 67


def _is_group(found: Sequence[Atom], at: int, mark: str) -> bool:
    group = found[at + 1] if mark else found[at]
    if group.kind != "digits" or len(group.text) != _GROUP_SIZE:
        return False
    if not mark:
        return not group.glued
    return found[at].text == mark and found[at].glued and group.glued
