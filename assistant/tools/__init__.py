"""What an answer can do beside talking: one tool a file, offered through one registry (docs/TOOLS.md)."""
