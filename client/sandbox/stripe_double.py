"""A double of Stripe's script, as far as the collection of a bank account goes.

Stripe's own dialogue lies in frames of Stripe's; this one is a dialogue in the page, with a button for each outcome.
"""

from __future__ import annotations

from pathlib import Path

SCRIPT = (Path(__file__).resolve().parent / "stripe_double.js").read_bytes()
SCRIPT_TYPE = "text/javascript; charset=utf-8"
