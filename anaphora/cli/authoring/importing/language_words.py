"""The words of a language for the import of Rasa projects, from the tables of the languages."""

from __future__ import annotations

from anaphora.entities.cues.cue_words import load_cue_phrases, load_cue_words
from anaphora.entities.words.function_words import (
    load_courtesy_phrases,
    load_qualifiers,
    load_stop_words,
)
from anaphora.entities.words.normalization import base_code
from anaphora.models.rasa import LanguageWords

__all__ = ["load_language_words"]

# The personal pronouns that the tables lack: no cue needs them.
_PRONOUNS = {
    "de": "ich du er sie es wir ihr mich mir dich dir uns euch ihnen",
    "en": "i you he she it we they me him her us them",
    "es": "yo tú usted él ella nosotros ustedes ellos me te nos",
    "fr": "je j' tu il elle on nous vous ils elles me m' te",
    "it": "io tu lui lei noi voi loro mi ti ci vi",
    "nl": "ik jij je u hij zij ze wij we jullie mij me jou ons hen",
    "pt": "eu tu você ele ela nós vocês eles elas me te nos",
    "ru": "я ты вы он она оно мы они меня мне тебя тебе вас вам нас нам",
}
_SENTENCE_MARKS = " .,;!?…"


def load_language_words(language: str) -> LanguageWords:
    """Load the words of a language; there are few for one without tables."""
    code = base_code(language)
    phrases = load_cue_phrases(code)
    small = {
        phrase
        for listed in phrases.by_first.values()
        for phrase, number, _ in listed
        if phrases.readings[number].kind == "small"
    }
    function_words = small.union(_PRONOUNS.get(code, "").split())
    qualifiers = load_qualifiers(code)
    return LanguageWords(
        frozenset(function_words - qualifiers),
        (load_stop_words(code) | function_words) - qualifiers,
        sorted(load_courtesy_phrases(code)),
        lambda text: _find_small_talk(text, code),
    )


def _find_small_talk(text: str, language: str) -> str:
    """The kind of a text that is nothing but small talk, else ''."""
    atoms, matches = load_cue_words(language).read(text.strip(_SENTENCE_MARKS))
    return next(
        (
            match.reading.value
            for match in matches
            if match.reading.kind == "social" and (match.start, match.end) == (0, len(atoms))
        ),
        "",
    )
