/** Client of checkoutd, the daemon that drives Primer headless checkouts. */

export { Checkout, PaymentComponent } from "./checkout.js";
export { Client } from "./client.js";
export { CallError, CheckoutdError, ConnectionLost, ProtocolError, TimedOut, Unreachable } from "./errors.js";
export { CheckoutEvent } from "./events.js";
export { defaultSocket } from "./place.js";
