"""Public names and nothing else: one file a namespace."""
