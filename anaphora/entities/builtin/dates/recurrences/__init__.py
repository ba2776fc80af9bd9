"""The built-in entity ``recurrence``: every Monday at 9, twice a day, the last Friday of a month.

``recurrence_parser`` reads what a text says, a pattern that the rules of ``recurrences.yaml``
compose (:mod:`~anaphora.entities.builtin.dates.operations.recurrence_patterns`). ``resolution``
makes a rule of RFC 5545 of it, for the time of a question.
"""
