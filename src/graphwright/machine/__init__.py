"""Machine code as such: targets, the cache, linking, threads, products."""
