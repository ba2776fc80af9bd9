"""Functions of the intent language that read entities."""
