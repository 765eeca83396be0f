"""`tf.experimental.numpy`: NumPy's names and promotion of dtypes over the same ops."""
