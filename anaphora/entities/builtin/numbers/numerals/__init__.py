"""Numbers in words."""
