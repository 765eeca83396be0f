"""Ops that hold graphs: calls, branches, loops."""
