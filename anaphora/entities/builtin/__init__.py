"""Built-in entities: one package or module each."""
