"""From a text to the entities in it, by a spaCy pipeline made for a model.

``pipeline`` has what the engine calls, ``tagger`` the spaCy component, ``variants`` the choice
between entities that overlap. Nothing is imported here: spaCy takes half a second to load.
"""
