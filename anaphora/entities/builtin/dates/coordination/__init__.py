"""Dates that are joined by a conjunction: what one of them says holds for all."""
