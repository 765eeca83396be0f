"""Optimizers, schedules, initializers."""
