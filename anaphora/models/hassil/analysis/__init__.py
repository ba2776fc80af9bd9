"""What the templates of a collection say about slots, units and words."""
