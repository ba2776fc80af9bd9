"""Validate model files and collect their errors."""
