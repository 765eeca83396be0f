"""The rules of ops, by kind."""
