"""Floats in few bits."""
