"""Compile predicates to Python functions."""
