"""The page: what a person sees, and the per-tab picture behind it."""
