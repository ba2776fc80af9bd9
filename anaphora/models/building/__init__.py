"""Validated model files to domain objects."""
