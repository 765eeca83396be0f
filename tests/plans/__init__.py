"""Plans, as `graphwright.compile.nests.nest` defines them, executed by plain Python and NumPy."""
