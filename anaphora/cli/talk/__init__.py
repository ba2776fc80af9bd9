"""Commands that talk to a bot."""
