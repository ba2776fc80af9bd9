"""Commands to a home that are given again, for other things."""
