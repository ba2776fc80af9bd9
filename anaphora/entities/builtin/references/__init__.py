"""Built-in entities that speak of others: how many of them, in which order, compared with what."""
