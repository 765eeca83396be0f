"""Graphs as loop nests."""
