"""Summaries made of sentences of the text."""
