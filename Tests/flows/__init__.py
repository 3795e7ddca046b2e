"""Black-box tests of the daemon: over its socket, against a sandbox of Primer's API.

    python3 -m unittest discover -s Tests/flows -t Tests

`CHECKOUTD` and `CHECKOUTCTL` name the programs to test; without them it is those of the latest build.
"""
