"""Makes the generated files of the repository."""
