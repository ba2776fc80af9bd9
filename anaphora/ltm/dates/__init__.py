"""Dates mentioned in exchanges."""
