"""Measure the times of single calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any

# Enough to draw a distribution, dense in its tail.
_SHARES = (*(number / 100 for number in range(1, 100)), 0.995, 0.999, 0.9995, 0.9999)


def time_calls(call: Callable[[Any], object], given: Iterable[Any]) -> list[float]:
    """The seconds of each call, made one after the other."""
    clock = time.perf_counter
    times = []
    for one in given:
        begun = clock()
        call(one)
        times.append(clock() - begun)
    return times


def time_call(work: Callable[[], object]) -> float:
    """The seconds of the work."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def quantile(ordered: Sequence[float], share: float) -> float:
    """The smallest of the sorted values that at least this share of them do not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def quantiles(times: Iterable[float]) -> tuple[tuple[float, float], ...]:
    """Pairs of a share and its quantile, for the shares that the number of values supports."""
    ordered = sorted(times)
    shares = (share for share in _SHARES if len(ordered) * (1 - share) >= 1)
    points = tuple((share, quantile(ordered, share)) for share in shares)
    return (*points, (1.0, ordered[-1]))


def tokenizer_seconds(texts: Sequence[str]) -> float:
    """The mean seconds of spaCy's tokenizer per text, with a warm cache: a lower bound for
    everything that uses it."""
    from spacy.lang.en import English

    tokenizer = English().tokenizer
    time_calls(tokenizer, texts)
    return sum(time_calls(tokenizer, texts)) / len(texts)
