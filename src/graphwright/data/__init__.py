"""`tf.data`: pipelines of elements, as values that are typed, traced and explained."""
