"""The main context of an agent: instructions, core memory and the message queue."""
