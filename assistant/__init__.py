"""A Web AI assistant for which a page refresh never happened."""
