"""The best sets of entities that do not overlap."""
