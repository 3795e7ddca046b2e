"""The benchmark of the daemon."""
