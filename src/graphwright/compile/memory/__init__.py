"""Where the values of a program lie."""
