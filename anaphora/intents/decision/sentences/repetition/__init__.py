"""Give the last command for other things: the other one, both, all of them, a list of them."""
