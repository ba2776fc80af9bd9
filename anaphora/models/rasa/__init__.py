"""Import of Rasa projects, as far as they are declarative.

The files of a folder are read with their lines (:mod:`~anaphora.models.rasa.project`), their
annotated examples parsed (:mod:`~anaphora.models.rasa.examples`), and translated to the data of a
model file, with notes about every key. :mod:`~anaphora.models.rasa.answers` finds which responses
and which form answer an intent, in rules and stories; :mod:`~anaphora.models.rasa.elements` has the
words of intents and the values of entities, :mod:`~anaphora.models.rasa.phrases` the synonyms for
those words. :mod:`~anaphora.models.rasa.translation` writes both: a
form becomes the slots of the intent that begins it, its ``utter_ask_…`` their prompts.
"""

from __future__ import annotations

from anaphora.models.rasa.language_words import LanguageWords
from anaphora.models.rasa.notes import RasaNote
from anaphora.models.rasa.project import RasaProject, read_project
from anaphora.models.rasa.translation import RasaTranslation, translate_project

__all__ = [
    "LanguageWords",
    "RasaNote",
    "RasaProject",
    "RasaTranslation",
    "read_project",
    "translate_project",
]
