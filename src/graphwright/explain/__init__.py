"""Why functions were traced, what will go wrong, what would help."""
