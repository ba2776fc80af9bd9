"""Files that threads and processes share: caches, a SQLite database, locks, fork safety."""
