"""Extractive summarizer: selects sentences of the text."""
