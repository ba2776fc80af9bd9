"""Commands that run services."""
