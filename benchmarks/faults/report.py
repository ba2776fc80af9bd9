"""The report of a run as text: operations, faults, and violations by nearby fault."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from benchmarks.faults.checker import KINDS, Violation
from benchmarks.faults.injection import Fault
from benchmarks.faults.operations import Operation
from benchmarks.faults.run import Result

__all__ = ["format_report", "format_trace"]

_BEFORE, _AFTER = 1.0, 5.0  # seconds around an operation in which a fault may have harmed it
_EXAMPLES = 3


def format_report(result: Result) -> str:
    """The report of a run."""
    return "\n".join(_lines(result))


def format_trace(result: Result) -> Iterator[str]:
    """JSON lines about the users with violations: their operations and violations and the faults,
    in chronological order, then their stored data."""
    users = {one.user for one in result.violations}
    operations = [one for one in result.trace.operations if one.user in users]
    events: list[Operation | Violation | Fault] = [*operations, *result.violations, *result.faults]
    for event in sorted(events, key=lambda event: event.begin):
        yield json.dumps({"is": type(event).__name__.lower(), **asdict(event)})
    for user in sorted(users):
        kept = sorted(result.trace.kept.get(user, ()), key=lambda exchange: exchange.number)
        yield json.dumps({"is": "kept", "user": user, "exchanges": [*map(asdict, kept)]})


def _lines(result: Result) -> Iterator[str]:
    outcomes = ", ".join(f"{count:,} {name}" for name, count in result.outcomes.items())
    happened = Counter(fault.name for fault in result.faults)
    yield f"{result.questions:,} questions in {result.seconds:.0f} s; attempts: {outcomes}"
    refused = Counter(one.problem for one in result.trace.operations if one.outcome == "refused")
    yield "refused: " + ", ".join(f"{count:,} {name}" for name, count in refused.most_common())
    counts = ", ".join(f"{count} {name}" for name, count in sorted(happened.items()))
    yield f"{len(result.faults)} faults: {counts}"
    if not result.is_complete:
        yield "NOT COMPLETE: the time was up before all questions were asked"
    for failure, count in Counter(result.failures).most_common(10):
        yield f"besides: {failure}" + (f" ({count} times)" if count > 1 else "")
    for event, count in result.logged.most_common(10):
        yield f"logged as an error {count} times: {event}"
    if not result.violations:
        yield "nothing was lost, doubled, resurrected or out of order"
        return
    yield f"{len(result.violations)} VIOLATIONS"
    for kind, meaning in KINDS.items():
        violations = [one for one in result.violations if one.kind == kind]
        if violations:
            yield f"{len(violations):6} {kind}: {meaning}"
            yield f"       beside: {_beside(violations, result.faults)}"
            for one in violations[:_EXAMPLES]:
                yield f"       {one.user}: {one.detail}"


def _beside(violations: Sequence[Violation], faults: Sequence[Fault]) -> str:
    """The number of violations near each fault; a violation may be near several."""
    counts: Counter[str] = Counter()
    for one in violations:
        near = {
            fault.name
            for fault in faults
            if fault.begin < one.end + _AFTER and one.begin - _BEFORE < fault.end
        }
        counts.update(near or {"no fault"})
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())
