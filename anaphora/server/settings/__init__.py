"""Settings of the server: their model, their sources, their errors."""
