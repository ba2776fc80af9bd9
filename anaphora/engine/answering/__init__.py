"""Carries a decision out: handlers, hooks, responses, and replies that ask back."""
