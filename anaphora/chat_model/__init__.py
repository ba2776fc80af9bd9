"""Chat-completions clients: language models behind any endpoint of OpenAI's chat protocol."""
