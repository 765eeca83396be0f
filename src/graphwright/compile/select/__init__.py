"""What runs as machine code: segments, their nodes, their families."""
