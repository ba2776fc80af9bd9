"""``anaphora agent``: talk to agents, and load documents for them."""
