"""Anaphora beside its peers: the same work in the same process and the same run."""
