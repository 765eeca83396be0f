"""Training in sessions that hooks watch."""
