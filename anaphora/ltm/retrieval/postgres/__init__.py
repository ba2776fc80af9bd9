"""Recall store in PostgreSQL."""
