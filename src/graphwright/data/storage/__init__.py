"""Elements on disk: files of blocks, the folders that they are in, and what made them."""
