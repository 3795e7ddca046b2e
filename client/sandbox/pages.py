"""The pages on which the customer decides: buttons to approve, to decline and to let the time pass."""

from __future__ import annotations

from html import escape

from families import Place
from model import Payment
from values import Refusal

CONTENT_TYPE = "text/html; charset=utf-8"
# Nothing runs in them, and nothing is loaded.
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'",
}

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
  body {{ font: 1.125rem/1.5 system-ui, sans-serif; margin: 0; display: grid; place-items: center; min-height: 100vh; }}
  main {{ max-width: 26rem; padding: 1.5rem; }}
  dl {{ display: grid; grid-template-columns: auto 1fr; gap: .25rem 1.25rem; }}
  dt {{ font-weight: 600; }}
  dd {{ margin: 0; overflow-wrap: anywhere; }}
  form {{ display: flex; flex-wrap: wrap; gap: 1rem; }}
  button {{ flex: 1 1 8rem; min-height: 3rem; font: inherit; border: 2px solid; border-radius: .5rem; cursor: pointer; }}
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
{details}
</dl>
<form method="post">
<button class="approve" name="outcome" value="approve">Approve</button>
<button name="outcome" value="decline">Decline</button>
<button name="outcome" value="expire">Let it expire</button>
</form>
<p>This is a sandbox: no money moves.</p>"""

_CLOSE = "<p>You can close this page.</p>"


def payment_page(place: Place, payment: Payment) -> bytes:
    """The page of a place, as the payment stands now."""
    if payment.action.place is not place:
        raise Refusal(404, "NotFound", "The payment has no such page")
    if payment.is_open:
        return _render("Approve this payment?", _question(payment))
    if payment.decision == "expire":
        return _render("Payment expired", _ending(payment))
    if payment.decision == "decline" or payment.has_failed:
        return _render("Payment declined", _ending(payment))
    return _render("Payment approved", _ending(payment))


def _render(title: str, content: str) -> bytes:
    return _PAGE.format(title=escape(title), content=content).encode()


def _question(payment: Payment) -> str:
    units, cents = divmod(payment.order["totalOrderAmount"], 100)
    rows = {
        "Bank": _bank(payment),
        "Order": str(payment.order.get("orderId")),
        "Amount": f"{payment.order.get('currencyCode')} {units}.{cents:02}",
    }
    details = [f"<dt>{name}</dt><dd>{escape(text)}</dd>" for name, text in rows.items()]
    return _QUESTION.format(details="\n".join(details))


def _bank(payment: Payment) -> str:
    """The bank that the customer chose, else the method."""
    method = payment.session.method(payment.instrument.method_type)
    name = method.entry.get("name") if method else None
    issuer = payment.instrument.info.get("issuer")
    chosen = next((bank.get("name") for bank in payment.session.banks if bank.get("id") == issuer), None)
    return str(chosen or issuer or name or payment.instrument.method_type)


def _ending(payment: Payment) -> str:
    """How the customer gets back to where they came from, if that has an address."""
    address = payment.instrument.info.get("redirectionUrl")
    if address is None:
        return _CLOSE
    return f'<p><a href="{escape(address)}">Back to the shop</a></p>'
