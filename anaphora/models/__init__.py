"""Declarative models: files to validated, frozen domain objects."""
