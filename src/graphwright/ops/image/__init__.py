"""Images: colours, sizes, boxes, files."""
