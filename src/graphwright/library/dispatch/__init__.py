"""Raw ops, and meanings that programs register."""
