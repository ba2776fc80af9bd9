"""Conversations in Redis."""
