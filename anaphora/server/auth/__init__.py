"""API keys and client addresses."""
