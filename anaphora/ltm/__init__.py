"""Long-term memory: what was said is kept, summarized and found again."""
