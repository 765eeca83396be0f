"""Programs of TensorFlow 1: collections, scopes of variables, optimizers, savers, frozen graphs."""
