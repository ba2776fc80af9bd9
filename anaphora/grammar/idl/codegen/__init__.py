"""Predicates to Python functions."""
