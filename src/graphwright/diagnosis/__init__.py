"""What a user asks of an installation: what it runs on, what is slow, what lies on the disk."""
