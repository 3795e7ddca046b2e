"""Tests of what is in the client's hands: the command-line client and the demonstration.

    python3 -m unittest discover -s Tests/clients -t Tests
"""
