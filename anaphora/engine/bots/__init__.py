"""Bots: models with what is derived from them once, and the registry of those of an engine."""
