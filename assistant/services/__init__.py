"""Use cases of the product, one verb a file; each takes an owner and speaks to ports alone."""
