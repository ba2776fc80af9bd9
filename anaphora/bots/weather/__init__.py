"""The weather bot."""
