"""Commands for the intent and the synonym language."""
