"""Files that threads and processes share: one SQLite database, locks, forks."""
