"""The recall store: every exchange, to be searched by its words, by its meaning, by both."""
