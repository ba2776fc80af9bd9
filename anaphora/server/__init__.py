"""The service: the engine behind HTTP."""
