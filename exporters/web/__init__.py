"""The web side of ``serve``."""
