"""Conversations in SQLite."""
