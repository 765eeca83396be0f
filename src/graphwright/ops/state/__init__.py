"""Variables, tables and lists as ops."""
