"""Graphs as data: values, nodes, text, rewriting, export."""
