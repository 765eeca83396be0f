"""The memory of a program's values."""
