"""What this node supports: the verdict on each source, and what to do about it."""
