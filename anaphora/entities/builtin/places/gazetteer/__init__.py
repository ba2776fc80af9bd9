"""Cities, regions and countries by name."""
