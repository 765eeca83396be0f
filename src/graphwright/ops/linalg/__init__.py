"""Matrices: products, decompositions, linear systems."""
