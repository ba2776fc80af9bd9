"""Intents that a model file writes as mappings."""
