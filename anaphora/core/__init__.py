"""The values that travel between rooms: utterances, entities, requests, users."""
