"""Graphs as data: values, nodes, their text, their rewriting, their export."""
