"""The restaurant bot."""
