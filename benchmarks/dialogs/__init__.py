"""How much of real dialogs the memory gets right: the Schema-Guided Dialogue data."""
