"""Import of NLPCraft's model files.

A file of NLPCraft 0.9 or 1.0 is parsed to the same tree as other files, detected, and translated
to the tree of an Anaphora file. The nodes keep their offsets, so that the rest of the loader
works unchanged and reports errors at their positions in the original.
"""

from __future__ import annotations

from anaphora.models.nlpcraft.notes import NoteKind, TranslationNote
from anaphora.models.nlpcraft.translation import Translation, translate
from anaphora.models.nlpcraft.version_detection import (
    NlpcraftVersion,
    assume_version,
    detect_version,
)
from anaphora.models.nlpcraft.yaml_writer import print_model

__all__ = [
    "NlpcraftVersion",
    "NoteKind",
    "Translation",
    "TranslationNote",
    "assume_version",
    "detect_version",
    "print_model",
    "translate",
]
