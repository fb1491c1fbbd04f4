"""SQL, where truth lives: tables, one repository a noun, and the two kinds of transaction (DESIGN 4)."""
