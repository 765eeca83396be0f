"""`graphwright demo`: a real program on real data, written against the public API."""
