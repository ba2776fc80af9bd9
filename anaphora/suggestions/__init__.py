"""Suggest synonyms that a model lacks, from logs of questions that it did not understand.

An offline tool. ``study`` is its entry point, ``question_log`` reads logs, ``vector_file`` and
``embeddings`` provide word vectors.
"""
