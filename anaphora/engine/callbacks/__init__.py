"""Handlers and hooks: callbacks that the author of a bot writes."""
