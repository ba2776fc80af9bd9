"""The lights of a house."""
