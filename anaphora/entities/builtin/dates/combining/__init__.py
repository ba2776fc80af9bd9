"""Combine dates that are parts of one."""
