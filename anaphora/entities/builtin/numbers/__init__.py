"""Recognize numbers and amounts of money, in digits and in words."""
