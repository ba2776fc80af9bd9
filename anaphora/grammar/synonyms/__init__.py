"""The synonym language: parsing, expanding and checking synonyms and macros."""
