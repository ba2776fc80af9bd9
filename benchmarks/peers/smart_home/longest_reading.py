"""The values in a text if the longest name wins, which defines the known answers."""

from __future__ import annotations

import re

from benchmarks.peers.smart_home.english import plural
from benchmarks.peers.smart_home.work import Work

__all__ = ["LongestReading"]


class LongestReading:
    """Finds the values in a text, longest phrase first, as a person would."""

    def __init__(self, work: Work) -> None:
        self._phrases: dict[tuple[str, ...], tuple[str, str]] = {}
        for intent in work.intents:
            for topic in (*intent.topics, *intent.states):
                self._phrases[tuple(topic.split())] = ("", "")
        for slot, values in work.lists().items():
            for value in values:
                for phrase in value.phrases:
                    self._phrases[tuple(phrase.split())] = (slot, value.value)
                    if slot == "name":
                        self._phrases[tuple(plural(phrase).split())] = (slot, value.value)
        self._longest = max(map(len, self._phrases))

    def slots(self, text: str) -> dict[str, str] | None:
        """The values by slot; None if a slot has two, or two phrases share a word."""
        words = re.findall(r"[\w']+", text.lower())
        found: dict[str, str] = {}
        taken: set[int] = set()
        for length in range(min(self._longest, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                place = set(range(start, start + length))
                if tuple(words[start : start + length]) not in self._phrases or place <= taken:
                    continue
                slot, value = self._phrases[tuple(words[start : start + length])]
                if place & taken or found.get(slot, value) != value:
                    return None
                taken |= place
                if slot:
                    found[slot] = value
        return found
