"""Recall store in SQLite."""
