"""Phrases by language with the cues in them and what they negate: ``phrases/<language>.yaml``."""

from __future__ import annotations

from pathlib import Path

from tests.entities.cues.cue_phrases import load_phrases, read_phrase
from tests.support.gathered import gathered


@gathered(load_phrases(Path(__file__).with_name("phrases")))
def test_a_phrase_has_its_cues_and_negations(
    language: str, text: str, cues: list[str], negated: list[str]
) -> None:
    assert read_phrase(language, text) == (cues, negated)
