"""Saved models of the graphs of sessions."""
