"""Knowledge graph: facts with validity in time, a stream of mentions, and entity statistics."""
