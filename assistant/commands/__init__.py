"""What ``python -m assistant`` can do, one command a file."""
