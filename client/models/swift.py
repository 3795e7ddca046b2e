"""The words of the Swift face that the daemon may add to: today the states of a checkout."""

from __future__ import annotations

import textwrap
from typing import Any

JsonObject = dict[str, Any]

_HEAD = '''\
// Made by client/models/generate.

/// Where a checkout is.
public struct CheckoutState: RawRepresentable, Sendable, Hashable {
  /// The word of the protocol.
  public let rawValue: String

  /// Takes any word: a daemon may know states that this library does not.
  ///
  /// - Parameter rawValue: The word of the protocol.
  public init(rawValue: String) { self.rawValue = rawValue }

'''
# What each means; a word that the document has and this has not is a mistake.
_MEANINGS = {
    "starting": "The configuration is being loaded.",
    "ready": "Components can be provided.",
    "submitted": "A component has been submitted.",
    "awaitingDecision": "The daemon waits for a decision.",
    "awaitingRedirect": "The shopper is at a page.",
    "awaitingBankAccount": "The shopper gives a bank account.",
    "awaitingMandate": "The shopper reads the mandate.",
    "awaitingCode": "The shopper scans a code, or enters one elsewhere.",
    "awaitingConfirmation": "The shopper confirms the payment elsewhere.",
    "processing": "Primer is at work.",
    "cancelling": "A cancellation waits for Primer's answer.",
    "completed": "It has ended well.",
    "failed": "It has ended otherwise.",
    "archived": "It has ended, and what it came to is all that is left.",
}


def states(document: JsonObject) -> str:
    """The text of the file."""
    told: list[str] = document["components"]["schemas"]["State"]["enum"]
    if unknown := set(told) - _MEANINGS.keys():
        raise KeyError(f"client/models/swift.py does not say what these states mean: {sorted(unknown)}")
    # Those that the daemon does not have yet are known all the same.
    lines = [
        f'/// {meaning}\npublic static let {word} = Self(rawValue: "{word}")' for word, meaning in _MEANINGS.items()
    ]
    return _HEAD + textwrap.indent("\n".join(lines), "  ") + "\n}\n"
