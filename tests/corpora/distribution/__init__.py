"""Small programs over four logical devices: what TensorFlow gave is in tests/golden."""
