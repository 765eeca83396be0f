"""What will go wrong in staged functions, read from their source: `graphwright lint`."""
