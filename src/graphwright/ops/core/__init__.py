"""Ops that make, move, choose and join elements."""
