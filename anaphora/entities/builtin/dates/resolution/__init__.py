"""Resolve time expressions at a moment: values and metadata of dates, cached and formatted."""
