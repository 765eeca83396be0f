"""`tf.experimental.dtensor`: tensors that are divided among a mesh of logical devices."""
