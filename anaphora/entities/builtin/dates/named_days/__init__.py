"""Named days: Christmas, Ramadan, Diwali, Earth Hour, and the official days of countries.

``tables/*.yaml`` have the days of the world by id, each with a rule that :mod:`.rule_parser` makes
one of :mod:`.rules` from, and :mod:`.day_table` finds them. Calendars that are computed are in
:mod:`.calendars` and :mod:`.moon_and_sun`. The names of the days in a language are in its table
``holidays.yaml``; :mod:`.day_names` compiles them and finds them in texts. :mod:`.official_days`
has the days of the countries that a model asks for.
"""
