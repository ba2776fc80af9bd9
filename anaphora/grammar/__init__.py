"""The intent definition language and the synonym language."""
