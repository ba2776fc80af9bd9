"""Text of the intent language to its syntax tree."""
