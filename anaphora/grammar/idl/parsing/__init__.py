"""Parse the intent language to its syntax tree."""
