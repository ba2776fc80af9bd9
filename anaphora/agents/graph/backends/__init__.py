"""Databases in which a knowledge graph is stored: SQLite and PostgreSQL."""
