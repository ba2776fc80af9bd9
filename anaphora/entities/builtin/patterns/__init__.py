"""Built-in entities that need no more than their own words: addresses, points, yes and no."""
