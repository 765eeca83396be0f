"""Windows that slide over data: convolutions, pooling, morphology."""
