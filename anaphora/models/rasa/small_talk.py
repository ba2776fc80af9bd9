"""Which intents of a Rasa project are small talk: greetings, thanks, farewells."""

from __future__ import annotations

from collections import Counter

from anaphora.models.rasa.answers import YES_AND_NO, Answers
from anaphora.models.rasa.language_words import LanguageWords
from anaphora.models.rasa.project import RasaProject

__all__ = ["find_small_talk"]


def find_small_talk(project: RasaProject, answers: Answers, words: LanguageWords) -> dict[str, str]:
    """The intents that are small talk, with its kind: at least half of their examples say nothing
    else, and they begin no form."""
    found = {}
    for intent, listed in project.examples.items():
        examples = [example for _, example in listed]
        begins = intent in answers.forms or intent in YES_AND_NO
        if begins or any(example.annotations for example in examples):
            continue
        kinds = Counter(filter(None, (words.find_small_talk(one.said) for one in examples)))
        for kind, count in kinds.most_common(1):
            if 2 * count >= len(examples):
                found[intent] = kind
    return found
