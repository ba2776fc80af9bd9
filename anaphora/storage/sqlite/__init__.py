"""SQLite databases that several processes share."""
