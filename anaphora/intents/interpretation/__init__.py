"""Interpret questions that answer, correct or refer to what was said before.

The cues of an utterance and the state of the conversation tell what it does; then the question is
rewritten as if the user had said it in full, and matched like any other.
"""
