"""Match whole utterances against sentence templates.

``input_text`` normalizes an utterance, ``segments`` compiles the templates, ``automaton`` finds the
templates that accept a text, ``capture`` finds the values of their slots, and ``matcher`` puts the
results in order.
"""
