"""The HTTP service of the engine."""
