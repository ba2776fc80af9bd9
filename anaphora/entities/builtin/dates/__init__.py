"""Recognize dates, times and durations and resolve them against the time of the question.

What happens to "next Friday", asked on Wednesday, November 18, 2026:

1. :mod:`.grammar.dateparser_vocabulary` has the names of weekdays and months ("friday" is
   weekday 4); :mod:`.grammar.date_grammar` compiles them, together with the rules of
   ``languages/en/dates.yaml`` (``"next $weekday": weekday($weekday, 1)``), into a grammar of the
   language. This happens once.
2. :class:`.date_parser.DateParser` takes the text apart into atoms, reads the run of atoms that a
   date may consist of, and gets the time expression ``("weekday", 4, 1)``: Friday of the week
   that is one week after this one. It does not depend on the time of the question, and is cached.
   Dates in digits come from :mod:`.absolute_dates`, short names such as "Fri" from
   :mod:`.disambiguation`, which also finds what only looks like a date. :mod:`.coordination`
   completes dates that are joined to others ("Tuesday or Thursday of next week").
3. :class:`.date_recognizer.DateRecognizer` calls :func:`.operations.resolve`, which evaluates the
   expression by the operation ``weekday`` (:mod:`.operations.named_periods`) for the
   :class:`.intervals.Moment` of the question: the interval of November 27, 2026.
4. :mod:`.resolution.formatting` writes the value ``2026-11-27`` and the metadata.

What follows a remembered date is combined with it: :func:`.combining.combination.combine_dates`
takes "at eight" after "next Friday", and also "the Friday after", whose operation
``later_weekday`` counts from the remembered date then, else from now. A language has such words
when its ``dates.yaml`` has a rule with that operation.

:mod:`.duration_recognizer` finds the durations that the same parser reads.
"""
