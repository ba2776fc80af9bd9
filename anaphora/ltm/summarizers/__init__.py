"""Summarizers: extractive, BART, chat completions, first words."""
