"""Sentence collections in the format of hassil, which Home Assistant uses."""
