"""Every op once: one file a family of the field, an op beside its adjoint."""
