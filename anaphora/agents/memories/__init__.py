"""Types of memory as declarations: conversation, semantic, generative, state."""
