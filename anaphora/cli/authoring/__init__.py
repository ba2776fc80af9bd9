"""Commands for authors of models."""
