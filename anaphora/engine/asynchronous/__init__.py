"""The engine for code that runs in an event loop: order, threads, cancellation."""
