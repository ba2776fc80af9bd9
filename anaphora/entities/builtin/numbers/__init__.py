"""Numbers: read from words and from digits, with what is said around them, and as money."""
