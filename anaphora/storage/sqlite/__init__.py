"""SQLite databases shared by processes."""
