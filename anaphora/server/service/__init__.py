"""The engine for the event loop: threads, turns, deadlines, reloading."""
