"""Strategies of distribution."""
