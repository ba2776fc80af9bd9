"""Responses and prompts: Jinja templates in a sandbox."""
