"""Times of many calls, one by one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

# Enough to draw a distribution, dense where it has its tail.
_SHARES = (*(number / 100 for number in range(1, 100)), 0.995, 0.999, 0.9995, 0.9999)


def time_calls(call: Callable[[Any], object], given: Iterable[Any]) -> list[float]:
    """How many seconds each call takes, one after the other."""
    clock = time.perf_counter
    times = []
    for one in given:
        begun = clock()
        call(one)
        times.append(clock() - begun)
    return times


def time_call(work: Callable[[], object]) -> float:
    """How many seconds the work takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest of the ordered values that at least this share of them do not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def quantiles(times: Iterable[float]) -> tuple[tuple[float, float], ...]:
    """Shares, and what they do not exceed; only those that so many values can tell."""
    ordered = sorted(times)
    shares = (share for share in _SHARES if len(ordered) * (1 - share) >= 1)
    points = tuple((share, quantile(ordered, share)) for share in shares)
    return (*points, (1.0, ordered[-1]))


def tokenizer_seconds(texts: Sequence[str]) -> float:
    """The mean seconds of spaCy's tokenizer alone for one of the texts, which it has seen before:
    the floor of what uses it."""
    from spacy.lang.en import English

    tokenizer = English().tokenizer
    time_calls(tokenizer, texts)
    return sum(time_calls(tokenizer, texts)) / len(texts)
