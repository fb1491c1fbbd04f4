"""Read these in order on the first day: what the product does, one short story a test."""
