"""Settings: flags, environment and one file, checked once."""
