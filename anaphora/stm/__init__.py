"""Short-term memory: the conversation as a value, its rules, and the stores that keep it."""
