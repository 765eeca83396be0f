"""Plans, as `graphwright.lower.nest` defines them, executed by plain Python and NumPy."""
