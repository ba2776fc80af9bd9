"""Parse model files to trees of nodes with positions."""
