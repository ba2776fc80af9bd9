"""Built-in entities that refer to other entities: limits, sorts and relations."""
