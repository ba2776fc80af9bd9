"""Filters for the templates of model files: dates, durations, recurring times, money and numbers.

``filters`` defines them and checks their input; the other modules parse one kind of value each
and format it with Babel, which is imported on first use.
"""
