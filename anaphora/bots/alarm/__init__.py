"""The alarm clock."""
