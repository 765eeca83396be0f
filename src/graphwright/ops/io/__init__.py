"""Bytes, files and serialized examples."""
