"""Background worker and its tasks: embedding, reindexing, compression, expiry."""
