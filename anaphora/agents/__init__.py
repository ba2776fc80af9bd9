"""Agents: language models that answer with a memory of their own."""
