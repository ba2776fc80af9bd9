"""Decisions: what a question means in a conversation.

:mod:`.decide` makes a :mod:`.decision`. :mod:`.pending_question` has what the bot asked for before,
:mod:`.fallback_entities` chooses between two readings of a question, and :mod:`.matching` matches
one reading with the intents.
"""
