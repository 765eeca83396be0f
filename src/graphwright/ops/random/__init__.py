"""Random numbers, with a state and without."""
