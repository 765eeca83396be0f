"""Tables in files: CSV, databases, features of examples."""
