"""Threads that compute elements: what they call, and what a fork does with them."""
