"""A collection of sentences for tests, and how to match with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from anaphora.entities.sentences.matcher import SentenceMatch, SentenceMatcher
from anaphora.models.hassil.builder import HOME_LISTS, build_collection
from anaphora.models.hassil.collection import SentenceCollection
from anaphora.models.hassil.home import Area, Device, Floor, Home
from anaphora.models.hassil.references import KeyPath

__all__ = ["HOME", "build", "match", "matcher_of"]

HOME = Home(
    areas=(Area("Kitchen"), Area("Living Room", ("lounge",)), Area("Bedroom")),
    floors=(Floor("First Floor"),),
    devices=(
        Device("Bedroom Lamp", "light"),
        Device("Lamp", "light"),
        Device("Front Door", "lock"),
        Device("Jazz Radio", "media_player"),
    ),
)


def build(text: str) -> SentenceCollection:
    """Build the collection of a text in hassil's YAML; mistakes fail the test."""

    def report(level: str, path: KeyPath, message: str, hint: str, offset: int | None) -> None:
        raise AssertionError((level, path, message, hint, offset))

    return build_collection(
        {"language": "en", **yaml.load(text, yaml.CSafeLoader)}, report, HOME_LISTS
    )


def matcher_of(text: str) -> SentenceMatcher:
    """The matcher of a text in hassil's YAML with the home of the tests."""
    return SentenceMatcher(build(text), HOME.to_lists())


def match(
    matcher: SentenceMatcher, text: str, context: Mapping[str, Any] | None = None
) -> tuple[str, dict[str, Any]] | None:
    """The intent and the slots of the best match that lacks nothing."""
    found = [one for one in matcher.match(text, context or {}) if not one.missing]
    return _plain(found[0]) if found else None


def _plain(one: SentenceMatch) -> tuple[str, dict[str, Any]]:
    return one.intent, {name: slot.value for name, slot in one.slots.items()}
