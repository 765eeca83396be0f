"""Functions as shared libraries that need no Python."""
