"""Rows about input pipelines: `tf.data` beside other loaders and NumPy by hand."""
