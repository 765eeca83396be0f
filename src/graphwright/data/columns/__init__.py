"""Columns of a block: how they stand side by side, and functions of whole columns."""
