"""What makes a short text of a long one: sentences that are chosen, BART, a service, a cut."""
