"""Exchanges in PostgreSQL."""
