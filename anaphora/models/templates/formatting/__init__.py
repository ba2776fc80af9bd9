"""Filters for the templates of model files: dates, durations, money and numbers for readers.

``filters`` names them and reads their input; the other modules parse one kind of value each and
format it with Babel, which is imported when the first template uses a filter.
"""
