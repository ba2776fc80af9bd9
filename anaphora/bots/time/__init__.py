"""The time bot."""
