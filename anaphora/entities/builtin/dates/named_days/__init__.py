"""Named days: Christmas, Ramadan, Diwali, Earth Hour, and the official days of countries.

:mod:`.day_table` has the days of the world by id, each with a rule of :mod:`.rules`; calendars that
are computed are in :mod:`.calendars` and :mod:`.moon_and_sun`. The names of the days in a language
are in its table ``holidays.yaml``; :mod:`.day_names` compiles them and finds them in texts.
:mod:`.official_days` has the days of the countries that a model asks for.
"""
