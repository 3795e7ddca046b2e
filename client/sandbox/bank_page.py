"""The hosted bank page: what the customer sees after the redirect, with one button to approve and one to decline."""

from __future__ import annotations

from html import escape

from model import Payment

CONTENT_TYPE = "text/html; charset=utf-8"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
  body {{ font: 1.125rem/1.5 system-ui, sans-serif; margin: 0; display: grid; place-items: center; min-height: 100vh; }}
  main {{ max-width: 26rem; padding: 1.5rem; }}
  dl {{ display: grid; grid-template-columns: auto 1fr; gap: .25rem 1.25rem; }}
  dt {{ font-weight: 600; }}
  dd {{ margin: 0; overflow-wrap: anywhere; }}
  form {{ display: flex; gap: 1rem; }}
  button {{ flex: 1; min-height: 3rem; font: inherit; border: 2px solid; border-radius: .5rem; cursor: pointer; }}
  button:focus-visible {{ outline: 3px solid #06c; outline-offset: 3px; }}
  .approve {{ background: #0a6b3d; border-color: #0a6b3d; color: #fff; }}
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{content}
</main>
</body>
</html>
"""

_QUESTION = """<dl>
<dt>Bank</dt><dd>{bank}</dd>
<dt>Order</dt><dd>{order}</dd>
<dt>Amount</dt><dd>{amount}</dd>
</dl>
<form method="post">
<button class="approve" name="outcome" value="approve">Approve</button>
<button name="outcome" value="decline">Decline</button>
</form>
<p>This is a sandbox: no money moves.</p>"""

_CLOSE = "<p>You can close this page.</p>"


def bank_page(payment: Payment) -> bytes:
    """The page as the payment stands now."""
    if payment.decision is None and payment.status == "PENDING":
        return _render("Approve this payment?", _question(payment))
    if payment.decision == "decline" or payment.has_failed:
        return _render("Payment declined", _CLOSE)
    return _render("Payment approved", _CLOSE)


def _render(title: str, content: str) -> bytes:
    return _PAGE.format(title=escape(title), content=content).encode()


def _question(payment: Payment) -> str:
    issuer = payment.instrument.issuer
    bank = next((bank.get("name") for bank in payment.session.banks if bank.get("id") == issuer), issuer)
    units, cents = divmod(payment.order["totalOrderAmount"], 100)
    return _QUESTION.format(
        bank=escape(str(bank)),
        order=escape(str(payment.order.get("orderId"))),
        amount=escape(f"{payment.order.get('currencyCode')} {units}.{cents:02}"),
    )
