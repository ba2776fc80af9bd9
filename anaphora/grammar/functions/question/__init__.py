"""Functions of the intent language that read the question, its user and its model."""
