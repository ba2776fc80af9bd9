"""Numbers with units, ranges and comparisons."""
