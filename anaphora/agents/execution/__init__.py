"""Execution of events: the chain of model calls and function calls that answers one."""
