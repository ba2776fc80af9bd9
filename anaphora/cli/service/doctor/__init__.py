"""``anaphora doctor``: check a deployment."""
