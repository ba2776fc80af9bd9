"""Stores of exchanges, and search in them: by words, by meaning, or by both."""
