"""The date rules of a language: its tables, the vocabulary of dateparser and the names of zones;
the numbers that the rules apply to.
"""
