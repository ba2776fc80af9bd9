"""Validates model files and collects their mistakes."""
