"""Checks of utterances against the limits of the model, and of entities by its validators."""
