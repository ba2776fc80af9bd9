"""Dates, times and durations: what people say of time, resolved against the time of the question.

``vocabulary`` knows a language's words (by dateparser), ``tables`` how they are put together,
``calendars`` reads plain dates (by dateparser), ``operations`` says what each way to put them
together comes to, on the ``calendar``.
"""
