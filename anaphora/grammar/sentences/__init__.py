"""The language of sentence templates, as hassil and Home Assistant write them: parsing."""
