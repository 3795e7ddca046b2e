"""The Debian packages: what is in them, and their life on a Debian with nothing else on it."""
