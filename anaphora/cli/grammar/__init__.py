"""Commands for the intent language and the synonym language."""
