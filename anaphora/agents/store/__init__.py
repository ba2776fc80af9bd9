"""Stores of the logs of agents."""
