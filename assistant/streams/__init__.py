"""The stream log on Redis Streams, its one writer per attempt, and its one reader per process."""
