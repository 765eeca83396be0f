"""`tf.data.experimental`: functions for `Dataset.apply`, and others that stand beside datasets."""
