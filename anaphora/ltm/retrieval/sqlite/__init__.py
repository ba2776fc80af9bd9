"""Exchanges in SQLite."""
