"""Combine what a question says with what is remembered of the same value."""
