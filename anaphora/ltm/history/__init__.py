"""The working history of a conversation, and its size."""
