"""Signals: transforms, frames, sound."""
