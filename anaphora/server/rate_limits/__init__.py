"""Rate limits of API keys and clients."""
