"""The values that the client returns."""
