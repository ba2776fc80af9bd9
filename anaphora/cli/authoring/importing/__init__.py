"""The commands ``anaphora import …``: translate models of other programs."""
