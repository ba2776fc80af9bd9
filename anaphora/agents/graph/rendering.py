"""Facts as lines for a prompt, and as nodes and edges for a picture."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from anaphora.agents.graph.facts import USER, EntityRecord, Fact
from anaphora.agents.graph.names import name_key

__all__ = ["render_graph", "to_json"]


def render_graph(facts: Sequence[Fact], *, max_facts: int = 50, max_characters: int = 4_000) -> str:
    """Return facts for a prompt, one a line, with the days from and to which they hold. Both limits
    are kept; a last line says how many facts were left out.

    Names come from users and models: the text is data, but no name can pose as another part or
    another fact.
    """
    lines: list[str] = []
    size = 0
    for place, fact in enumerate(facts):
        line = _format_fact(fact)
        left = len(facts) - place
        reserved = len(_LEFT_OUT.format(left)) + 1
        if (
            place == max_facts
            or size + len(line) + 1 + (reserved if left > 1 else 0) > max_characters
        ):
            lines.append(_LEFT_OUT.format(left))
            break
        lines.append(line)
        size += len(line) + 1
    return "\n".join(lines)


def to_json(nodes: Sequence[EntityRecord], edges: Sequence[Fact]) -> dict[str, Any]:
    """Return nodes and edges as plain data for a picture. Entities of edges that are not among the
    nodes are added to them. Nodes have ids by which edges name them; times are ISO 8601."""
    found: dict[str, dict[str, Any]] = {}
    for record in nodes:
        found[name_key(record.name)] = {
            "id": name_key(record.name),
            "name": record.name,
            "kind": record.kind,
            "count": record.count,
            "first_seen": record.first_seen.isoformat(),
            "last_seen": record.last_seen.isoformat(),
        }
    for fact in edges:
        for name in (fact.subject, fact.object):
            key = name_key(name)
            kind = USER if key == USER else ""
            found.setdefault(key, {"id": key, "name": name, "kind": kind, "count": 0})
    return {"nodes": list(found.values()), "edges": [_edge_to_json(fact) for fact in edges]}


def _edge_to_json(fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.id,
        "from": name_key(fact.subject),
        "to": name_key(fact.object),
        "relation": fact.relation,
        "valid_at": fact.valid_at.isoformat(),
        "invalid_at": None if fact.invalid_at is None else fact.invalid_at.isoformat(),
        "last_stated": fact.last_stated.isoformat(),
        "count": fact.count,
        "source": fact.source,
    }


def _format_fact(fact: Fact) -> str:
    notes = [f"since {_format_day(fact.valid_at)}"]
    if fact.invalid_at is not None:
        notes = [f"{_format_day(fact.valid_at)} to {_format_day(fact.invalid_at)}"]
    if fact.count > 1:
        notes.append(f"said {fact.count} times, last on {_format_day(fact.last_stated)}")
    parts = [_to_part(part) for part in (fact.subject, fact.relation, fact.object)]
    return f"- {' | '.join(parts)} ({'; '.join(notes)})"


def _to_part(text: str) -> str:
    """Return a name without what separates the parts and facts of a prompt."""
    return " ".join(text.replace("|", "/").replace("(since", "(‘since’").split())


def _format_day(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d}"


_LEFT_OUT = "- … and {:,} more facts"
