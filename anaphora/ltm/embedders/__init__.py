"""Embedders: vectors of texts, close together for similar meanings."""
