"""Build domain objects from validated model files."""
