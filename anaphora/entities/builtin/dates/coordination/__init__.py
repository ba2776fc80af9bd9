"""Complete dates that are joined by a conjunction, by what one of them says for all."""
