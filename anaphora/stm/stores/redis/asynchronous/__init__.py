"""Redis from an event loop: one connection, on which commands do not wait for each other."""
