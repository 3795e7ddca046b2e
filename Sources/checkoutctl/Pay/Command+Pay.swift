extension Command {
  static let pay = Command(
    "pay",
    options: [
      .tokenFile, .startKey, .locale, .urlScheme, .publishableKey, .merchantName, .mandateText,
      .settings, .data, .allowRepeat, .retry, .json,
    ],
    summary: "pay a checkout, from its client token to its outcome",
    details: """
      The client token is read from standard input, unless --token-file says otherwise. Everything
      else is asked for on the terminal: the payment method, and what it needs of the shopper, as the
      daemon tells it. A page to open is shown as its address and as a QR code. ACH needs --url-scheme
      and --publishable-key, and the program checkoutd-collector, in PATH or named by
      CHECKOUTD_COLLECTOR, which asks for the bank account in a browser.

      Nobody is asked with --data: then a JSON object has what a shopper would be asked for, each text
      by the name of its field, as in bankId; what the client session has may be left out. The payment
      method is the one that collects these fields, or paymentMethodType names it. acceptMandate, true
      or false, answers a mandate; without it somebody else has to. The pages to open are printed, each
      after its name, and last the outcome, the payment's id and its status; with --json these are
      objects.

      Ctrl-C before the payment is under way cancels the checkout. Afterwards, and with any other
      signal, the command ends and the checkout goes on; pay with the same client token finds it again.

      Exit status: 0 also if the payment is still pending; 1 also if it failed or was cancelled; 4 if
      the time was over before that; 6 if its outcome is unknown, and then the order to look up is told;
      128 and its number after a signal.

      Example:
        printf '{"bankId":"%s"}' "$BANK" | checkoutctl pay --token-file token --data -
      """
  ) { invocation throws(Failure) in
    let status = try Payment.pay(try PayCommand(invocation))
    if status != .success { throw .ended(status) }
  }
}
