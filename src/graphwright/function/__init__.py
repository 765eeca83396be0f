"""`tf.function`: polymorphic functions, their concrete traces, why they traced."""
