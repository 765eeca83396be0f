"""Neural networks: activations, losses, normalizations, sampled classes."""
