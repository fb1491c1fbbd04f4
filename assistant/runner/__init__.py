"""The runner: claims a task, drives it to its end or lets go of it, and takes over what was lost."""
