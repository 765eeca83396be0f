"""What a tensor is, before it has a value: dtypes, shapes, specs, structures."""
