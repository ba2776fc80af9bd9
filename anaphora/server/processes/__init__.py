"""Server processes: start, supervision, shutdown."""
