"""Properties are about what holds, not about how fast a busy machine shows it."""

from hypothesis import settings

settings.register_profile("domain", deadline=None, database=None)
settings.load_profile("domain")
