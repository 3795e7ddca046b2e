"""What the first release leaves behind, see README.md."""
