"""Summarizer based on BART."""
