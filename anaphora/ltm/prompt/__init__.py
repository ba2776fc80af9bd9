"""Builds a prompt within a token limit."""
