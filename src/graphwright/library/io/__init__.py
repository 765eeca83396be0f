"""Files and messages."""
