"""A write-ahead journal, and its delivery to the store."""
