"""Reverse-mode differentiation: one sweep, for tapes and for graphs."""
