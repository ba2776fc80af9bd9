"""The built-in entity ``recurrence``: every Monday at 9, twice a day, the last Friday of a month.

``patterns`` has what a text says, as it is composed by the rules of ``recurrences.yaml``;
``resolution`` makes a rule of RFC 5545 of it, for the time of a question.
"""
