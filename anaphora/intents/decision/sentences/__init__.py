"""Decide by the sentences of a model, and by what follows them.

A whole sentence is decided by its template. What is none ("and in the bedroom?", "the fan too")
goes on with what was said before: ``fragments`` look for the combination of slots that they
complete. ``repetition`` repeats the last command with another value or device, ``history``
undoes it, and does what is left of it.
"""
