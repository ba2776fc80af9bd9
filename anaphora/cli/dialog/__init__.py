"""Commands that ask a bot questions: chat, ask, explain."""
