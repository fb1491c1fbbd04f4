"""What one tab sees: Python state classes that mirror the backend's records, each small and replaceable."""
