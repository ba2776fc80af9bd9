"""Home Assistant's sentences: Anaphora beside hassil, on the same texts and the same home."""
