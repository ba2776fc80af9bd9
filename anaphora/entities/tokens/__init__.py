"""A text to tokens, sentence boundaries, quotes and brackets."""
