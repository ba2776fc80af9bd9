"""Long-term memory: stores, summarizes and searches conversations."""
