"""Model files to trees of nodes with positions."""
