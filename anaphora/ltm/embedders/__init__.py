"""What makes vectors of texts, so that those of like meaning lie close together."""
