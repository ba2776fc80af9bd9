"""The bridge between a conversation and the long-term memory."""
