"""Check models: run their sample dialogs, and read what they say as constants."""
