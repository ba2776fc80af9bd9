"""Recognize places by name, with a gazetteer of cities, regions, countries and continents.

``place_recognizer`` finds places in texts; ``gazetteer`` looks up places for handlers. This package
imports nothing, because loading the gazetteer takes a second.
"""
