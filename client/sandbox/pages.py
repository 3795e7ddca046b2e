"""The pages on which the customer decides: buttons to approve, to decline and to let the time pass."""

from __future__ import annotations

from datetime import UTC, datetime
from html import escape

from families import Place
from language import spoken
from model import Payment
from values import JsonObject, Refusal

CONTENT_TYPE = "text/html; charset=utf-8"
# Nothing runs in them, and nothing is loaded.
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'self'",
}

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
  body {{ font: 1.125rem/1.5 system-ui, sans-serif; margin: 0; display: grid; place-items: center; min-height: 100vh; }}
  main {{ max-width: 26rem; padding: 1.5rem; }}
  h1 {{ font-size: 1.75rem; line-height: 1.2; }}
  dl {{ display: grid; grid-template-columns: auto 1fr; gap: .25rem 1.25rem; }}
  dt {{ font-weight: 600; }}
  dd {{ margin: 0; overflow-wrap: anywhere; }}
  form {{ display: flex; flex-wrap: wrap; gap: 1rem; }}
  button {{ flex: 1 1 8rem; min-height: 3rem; font: inherit; border: 2px solid; border-radius: .5rem; cursor: pointer; }}
  button:focus-visible {{ outline: 3px solid #06c; outline-offset: 3px; }}
  .expire {{ flex-basis: 100%; border-style: dashed; }}
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
<button class="approve" name="outcome" value="approve">{approve}</button>
<button name="outcome" value="decline">{decline}</button>
<button class="expire" name="outcome" value="expire">{expire}</button>
</form>
<p>{sandbox}</p>"""


def payment_page(place: Place, payment: Payment) -> bytes:
    """The page of a place as the payment stands now, in the language of the checkout."""
    if payment.action.place is not place:
        raise Refusal(404, "NotFound", "The payment has no such page")
    language, texts = spoken(payment.instrument.info["locale"])
    if payment.is_open:
        title, content = texts[place.page]["title"], _question(texts, place, payment)
    else:
        title, content = texts["endings"][_ending(payment)], _way_back(texts, payment)
    return _PAGE.format(language=language, title=escape(title), content=content).encode()


def _question(texts: JsonObject, place: Place, payment: Payment) -> str:
    told, asked = payment.told, payment.instrument.info
    rows = {
        **_payee(payment),
        "phoneNumber": asked.get("phoneNumber"),
        "entity": told.get("entity"),
        "reference": told.get("reference"),
        "order": payment.order.get("orderId"),
        "amount": _price(texts, payment.order),
        "until": _time(payment.lapses_at),
    }
    details = [
        f"<dt>{escape(texts['labels'][name])}</dt><dd>{escape(str(value))}</dd>"
        for name, value in rows.items()
        if value is not None
    ]
    labels = {"expire": texts["expire"], "sandbox": texts["sandbox"]} | texts[place.page]
    return _QUESTION.format(
        details="\n".join(details),
        **{name: escape(label) for name, label in labels.items()},
    )


def _payee(payment: Payment) -> dict[str, object]:
    """The bank that the customer chose, else the method."""
    if (issuer := payment.instrument.info.get("issuer")) is not None:
        named = (bank.get("name") for bank in payment.session.banks if bank.get("id") == issuer)
        return {"bank": next(named, issuer)}
    method = payment.session.method(payment.instrument.method_type)
    return {"method": method.entry.get("name") if method else None}


def _price(texts: JsonObject, order: JsonObject) -> str:
    units, cents = divmod(order["totalOrderAmount"], 100)
    return f"{order.get('currencyCode')} {units}{texts['decimalMark']}{cents:02}"


def _time(seconds: int | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _ending(payment: Payment) -> str:
    if payment.decision == "expire":
        return payment.decision
    return "decline" if payment.decision == "decline" or payment.has_failed else "approve"


def _way_back(texts: JsonObject, payment: Payment) -> str:
    """How the customer gets back to where they came from, if that has an address."""
    address = payment.instrument.info.get("redirectionUrl")
    if address is None:
        return f"<p>{escape(texts['close'])}</p>"
    return f'<p><a href="{escape(address)}">{escape(texts["back"])}</a></p>'
