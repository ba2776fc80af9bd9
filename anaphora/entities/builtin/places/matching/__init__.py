"""Finds names of places in texts, and decides whether they are meant as places."""
