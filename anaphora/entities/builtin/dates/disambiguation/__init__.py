"""Tell dates from what only looks like one."""
