"""The upstream fault matrix: what a checkout comes to when Primer's API, or the way there, fails at each of its calls."""
