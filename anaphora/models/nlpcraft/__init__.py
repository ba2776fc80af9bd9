"""The reader of NLPCraft's model files.

A file of NLPCraft 0.9 or 1.0 is read into the same tree as a file of ours, recognised, and
translated into the tree of a file of ours. Its nodes keep their places, so that the rest of the
loader runs on it unchanged and tells every mistake at its place in the original.
"""

from __future__ import annotations

from anaphora.models.nlpcraft.notes import NoteKind, TranslationNote
from anaphora.models.nlpcraft.translation import Translation, translate
from anaphora.models.nlpcraft.version_detection import Version, detect_version
from anaphora.models.nlpcraft.yaml_writer import print_model

__all__ = [
    "NoteKind",
    "Translation",
    "TranslationNote",
    "Version",
    "detect_version",
    "print_model",
    "translate",
]
