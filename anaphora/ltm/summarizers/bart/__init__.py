"""Summaries by BART."""
