"""Delivery of tasks to the processes that run them."""
