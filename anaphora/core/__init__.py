"""Run-time values shared by all rooms: utterances, entities, requests, users."""
