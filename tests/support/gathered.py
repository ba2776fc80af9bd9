"""One test of many small cases, of which each that is wrong is named.

Pytest takes three milliseconds of the processor to collect, run and report a test, and some tables
have thousands of cases that take much less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from textwrap import indent
from typing import Any, NamedTuple

import pytest

__all__ = ["Case", "gathered"]


class Case(NamedTuple):
    """What a test is called with: a row of a table."""

    group: str
    """The cases of a group are one test, named like it."""
    name: str
    values: tuple[Any, ...]
    fails: str = ""
    """Why the case is known to be wrong, if it is; then it fails when it is right after all."""


def gathered(cases: Iterable[Case]) -> Callable[[Callable[..., None]], Callable[[str], None]]:
    """Decorate the check of one case, which becomes a test of each group of ``cases``."""
    groups: dict[str, list[Case]] = {}
    for case in cases:
        groups.setdefault(case.group, []).append(case)

    def decorate(check: Callable[..., None]) -> Callable[[str], None]:
        @pytest.mark.parametrize("group", groups)
        def test(group: str) -> None:
            __tracebackhide__ = True
            _check_all(groups[group], check)

        test.__name__, test.__doc__, test.__module__ = (
            check.__name__,
            check.__doc__,
            check.__module__,
        )
        return test

    return decorate


def _check_all(cases: list[Case], check: Callable[..., None]) -> None:
    __tracebackhide__ = True
    wrong = []
    first: BaseException | None = None
    for case in cases:
        try:
            check(*case.values)
        except (Exception, pytest.fail.Exception) as error:
            if not case.fails:
                wrong.append(f"{case.name}\n{indent(str(error) or repr(error), '    ')}")
                first = first or error
        else:
            if case.fails:
                wrong.append(f"{case.name}\n    is right, but its table says: {case.fails}")
    if wrong:
        listed = "\n".join(wrong)
        raise AssertionError(f"{len(wrong)} of {len(cases)} are wrong:\n{listed}") from first
