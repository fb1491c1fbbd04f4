"""What the page is made of, one part a file; each reads states and starts wishes, nothing more."""
