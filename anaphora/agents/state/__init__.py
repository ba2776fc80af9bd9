"""The state of an agent, as a value that is computed from the records of its log."""
