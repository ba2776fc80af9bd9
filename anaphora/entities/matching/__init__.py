"""The phrase index of a model, and phrase matches to entities, level by level."""
