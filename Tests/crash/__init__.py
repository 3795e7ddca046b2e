"""What is left after crashes, restarts and faults: the daemon keeps its state on disk, and is killed at will."""
