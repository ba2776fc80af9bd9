"""Functions that the model of an agent can call."""
