"""Synonyms that a model lacks, found in questions that it did not understand.

``study`` has what callers use, ``log`` the reader of logs, ``vectors`` and ``embeddings`` what is
known of the meaning of words. It stands with the intents, for the best evidence is whether an
intent would match. Nothing is imported here.
"""
