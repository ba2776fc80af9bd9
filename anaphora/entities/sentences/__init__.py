"""Match whole utterances against sentence templates.

``input_text`` normalizes an utterance, ``segments`` compiles the templates, ``automaton`` finds the
templates that accept a text, ``capture`` finds the values of their slots, and ``matcher`` puts the
results in order. ``reader`` makes readings with entities of them; a text that no template matches
is read again in the forms of ``repairs``.
"""
