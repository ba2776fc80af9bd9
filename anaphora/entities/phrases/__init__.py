"""Synonyms as sequences of words, and the search for them in a text."""
