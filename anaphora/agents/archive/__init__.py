"""Archival memory: passages of documents and of what an agent inserts, with a search over both."""
