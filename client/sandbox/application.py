"""The sandbox as one application: finds a request's route, and leads Primer's calls past holds and faults."""

from __future__ import annotations

import re
import time
import traceback
from collections.abc import Callable, Iterable
from urllib.parse import parse_qs, unquote

from control import ControlRoute, Controls, ControlSurface
from doorkeeper import Doorkeeper, check_content_type
from families import PLACES, Place, codes
from faults import Fault
from model import Ledger
from pages import CONTENT_TYPE, HEADERS, payment_page
from payments import Payments
from primer_api import PrimerAPI, Route
from stripe_double import SCRIPT, SCRIPT_TYPE
from tokens import Addresses, TokenIssuer
from values import JsonObject, Refusal, encode
from wire import Request, Response

Handler = Callable[[Request], Response]

_UNKNOWN = "unknown"
_STRIPE_SCRIPT = "stripe-script"
_FORM = "application/x-www-form-urlencoded"


class Sandbox:
    """A stand-in for Primer's API whose addresses lie below the base; it may be called by other hosts' names too."""

    def __init__(self, base: str, listening: Iterable[str] = ()) -> None:
        self._doorkeeper = Doorkeeper(base, listening)
        addresses = Addresses(base)
        ledger = Ledger()
        tokens = TokenIssuer(ledger, addresses)
        self._ledger = ledger
        self._payments = Payments(ledger, tokens)
        self._api = PrimerAPI(ledger, addresses, self._payments)
        endpoints = [route.endpoint for route in self._api.routes]
        self._addresses = addresses
        self._controls = Controls(ledger, addresses, tokens, self._payments, endpoints)
        self._surface = ControlSurface(self._controls)
        self._routes = [(_pattern(route.path), route.method, self._called(route)) for route in self._api.routes]
        self._routes += [
            (_pattern(route.path), route.method, self._controlled(route)) for route in self._surface.routes
        ]
        for place in PLACES:
            page = _pattern(f"/{place.page}/{{id}}")
            self._routes += [(page, "GET", self._shown(place)), (page, "POST", self._decided(place))]
        self._routes.append((_pattern(f"/{codes.PLACE.page}/{{id}}/code.png"), "GET", self._give_code))
        self._routes.append((_pattern("/stripe/v3/"), "GET", self._give_stripe_script))

    def create_session(self, description: JsonObject) -> str:
        """Opens a client session; returns its client token."""
        token: str = self._surface.create_session(description)["clientToken"]
        return token

    def __call__(self, request: Request) -> Response:
        """Answers a request."""
        return _performed(lambda: self._let_in(request))

    def _let_in(self, request: Request) -> Response:
        self._doorkeeper.check(request)
        return self._find(request)(request)

    def _find(self, request: Request) -> Handler:
        for pattern, method, handler in self._routes:
            if method == request.method and (match := pattern.fullmatch(request.path)):
                request.params = {name: unquote(value) for name, value in match.groupdict().items()}
                return handler
        return self._not_found

    def _not_found(self, request: Request) -> Response:
        refusal = Refusal(404, "NotFound", f"There is no {request.method} {request.path}")
        if request.path.startswith("/sandbox"):
            raise refusal
        return self._logged(_UNKNOWN, request, lambda: _refused(refusal))

    def _called(self, route: Route) -> Handler:
        return lambda request: self._call(route, request)

    def _call(self, route: Route, request: Request) -> Response:
        """One of Primer's calls: the effect, with what tests have laid before and after it."""
        controls = self._controls
        fault = controls.faults.next(route.endpoint)
        entry = controls.journal.arrived(route.endpoint, request, faulted=fault is not None)
        controls.holds.wait(route.endpoint, before_effect=True)
        if fault and not fault.after_effect:
            time.sleep(fault.delay)
        if fault and fault.replaces_effect:
            response = fault.answer(request)
        else:
            response = _performed(lambda: self._api.perform(route, request))
            controls.journal.took_effect(entry)
            response = _struck(fault, request, response)
        controls.holds.wait(route.endpoint, before_effect=False)
        controls.journal.answered(entry, response.status if response.delivery.head else None)
        return response

    def _controlled(self, route: ControlRoute) -> Handler:
        def perform(request: Request) -> Response:
            check_content_type(request)
            return Response(body=encode({} if (answer := route.handler(request)) is None else answer))

        if route.endpoint is None:
            return perform
        endpoint = route.endpoint
        return lambda request: self._logged(endpoint, request, lambda: perform(request))

    def _shown(self, place: Place) -> Handler:
        """Shows the place's page."""

        def show(request: Request) -> Response:
            with self._ledger.lock:
                page = payment_page(place, self._payments.payment(request.params["id"]))
            return Response(body=page, content_type=CONTENT_TYPE, headers=HEADERS)

        return lambda request: self._logged(f"{place.page}-page", request, lambda: show(request))

    def _decided(self, place: Place) -> Handler:
        """Takes what the customer decides on the place's page."""

        def decide(request: Request) -> Response:
            check_content_type(request, _FORM)
            outcome = parse_qs(request.body.decode("utf-8", "replace")).get("outcome", [""])[0]
            self._surface.decide(request.params["id"], place, outcome)
            return Response(303, content_type=CONTENT_TYPE, headers={"Location": request.path})

        return lambda request: self._logged(f"{place.page}-page", request, lambda: decide(request))

    def _give_code(self, request: Request) -> Response:
        """The picture of a code, for whoever has been told where it is."""

        def give() -> Response:
            with self._ledger.lock:
                payment = self._payments.payment(request.params["id"])
                if payment.action.place is not codes.PLACE:
                    raise Refusal(404, "NotFound", "The payment has no code")
                return Response(body=codes.code_image(payment, self._addresses), content_type="image/png")

        return self._logged("code-image", request, give)

    def _give_stripe_script(self, request: Request) -> Response:
        return self._logged(_STRIPE_SCRIPT, request, lambda: Response(body=SCRIPT, content_type=SCRIPT_TYPE))

    def _logged(self, endpoint: str, request: Request, perform: Callable[[], Response]) -> Response:
        """Performs a request that is in the log but knows no faults and no holds."""
        entry = self._controls.journal.arrived(endpoint, request)
        response = _performed(perform)
        self._controls.journal.took_effect(entry)
        self._controls.journal.answered(entry, response.status)
        return response


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path))


def _performed(perform: Callable[[], Response]) -> Response:
    try:
        return perform()
    except Refusal as refusal:
        return _refused(refusal)
    except Exception:  # A defect here must show, and must not look like the client's.
        traceback.print_exc()
        return _refused(Refusal(500, "SandboxDefect", "The sandbox has failed; its error output says how"))


def _refused(refusal: Refusal) -> Response:
    return Response(refusal.status, encode(refusal.body()))


def _struck(fault: Fault | None, request: Request, response: Response) -> Response:
    """The normal answer with a fault that leaves the effect alone, or comes after it."""
    if fault is None:
        return response
    if fault.after_effect:
        time.sleep(fault.delay)
    return fault.answer(request, response)
