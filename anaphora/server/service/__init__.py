"""The asynchronous interface of the engine: threads, locks, deadlines, reloading."""
