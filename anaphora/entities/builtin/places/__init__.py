"""Places by their names: a gazetteer of cities, regions, countries and continents.

``recognizer`` finds them in texts, ``gazetteer`` answers for handlers. Nothing is imported here:
reading the gazetteer takes a second.
"""
