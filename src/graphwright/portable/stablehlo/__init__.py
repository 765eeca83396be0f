"""Functions as text of StableHLO."""
