"""Built-in entities by their form: coordinates, e-mail addresses, phone numbers, web addresses."""
