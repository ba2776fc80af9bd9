"""Mentions of built-in entities."""

from __future__ import annotations

from collections.abc import Sequence

from anaphora.entities.recognizers.recognizer import Mention

__all__ = ["without_parts"]


def without_parts(mentions: Sequence[Mention]) -> list[Mention]:
    """The mentions without those that are only a part of another one, such as the date "Friday" in
    "from Friday for three days"."""

    def is_part(mention: Mention) -> bool:
        return mention.fallback and any(
            one.start <= mention.start and mention.end <= one.end and not one.fallback
            for one in mentions
        )

    return [one for one in mentions if not is_part(one)]
