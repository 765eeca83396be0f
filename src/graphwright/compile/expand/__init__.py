"""Ops in simpler ops, for machine code."""
