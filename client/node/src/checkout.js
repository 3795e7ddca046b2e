/** A checkout and its components. */

import * as calls from "./calls.js";
import { TimedOut } from "./errors.js";

/** A checkout in the daemon. Letting go of this object ends nothing. */
export class Checkout {
  #client;

  constructor(client, id) {
    this.#client = client;
    this.id = id;
  }

  /** The checkout as it is now. */
  snapshot(options) {
    return this.#client.run(calls.find(this.id), options);
  }

  /** The component for a payment method: the same one each time. */
  async provide(paymentMethodType, { manager, ...options } = {}) {
    const known = manager ?? (await this.#manager(paymentMethodType, options));
    const id = await this.#client.run(calls.provide(known, this.id, paymentMethodType), options);
    return new PaymentComponent(this.#client, id);
  }

  async #manager(paymentMethodType, options) {
    const { availablePaymentMethods = [] } = await this.snapshot(options);
    const known = availablePaymentMethods.find(({ type }) => type === paymentMethodType);
    // Of a method that is not there any manager says why.
    return known?.manager ?? "componentWithRedirectManager";
  }

  /** The events after a place, each once and in order, up to the terminal one. */
  events(options) {
    return this.#client.follow(this.id, options);
  }

  /** Waits for `terminal` (the default), for `awaiting`, or for one of some events. */
  async wait({ for: events = ["terminal"], timeout = Infinity, signal } = {}) {
    const end = performance.now() + timeout;
    for (;;) {
      const left = end - performance.now();
      if (left <= 0) throw new TimedOut("what was waited for did not come in time");
      const call = calls.wait(this.id, events, Math.min(left, calls.LONGEST_WAIT));
      const waited = await this.#client.run(call, { signal });
      if (calls.isOver(waited)) return waited;
    }
  }

  /** Cancels it, if that is possible still; the state that it is in now. */
  cancel(reason, options) {
    return this.#client.run(calls.cancel(this.id, reason), options);
  }

  /** Takes a decision that an event has asked for. */
  decide(decisionId, decision, { signal, ...more } = {}) {
    return this.#client.run(calls.decide(this.id, decisionId, decision, more), { signal });
  }

  /** Lets a user or a group see the checkout, or drive it. */
  share(role, who, options) {
    return this.#client.run(calls.share(this.id, role, who), options);
  }

  /** Takes that back. */
  unshare(who, options) {
    return this.#client.run(calls.unshare(this.id, who), options);
  }
}

/** A component of a checkout: what its fields are, `get` tells. */
export class PaymentComponent {
  #client;

  constructor(client, id) {
    this.#client = client;
    this.id = id;
  }

  /** Starts it; the first step with data. Once only, unless it fails. */
  start(options) {
    return this.#client.run(calls.startComponent(this.id), options);
  }

  /** The component as it is now. */
  get(options) {
    return this.#client.run(calls.getComponent(this.id), options);
  }

  /** Takes what the shopper gave: one field. */
  update(data, options) {
    return this.#client.run(calls.update(this.id, data), options);
  }

  /** Pays with what was collected. From here the daemon goes on by itself. */
  submit(options) {
    return this.#client.run(calls.submit(this.id), options);
  }

  /** Says that the page is shown, or no more. */
  reportRedirect(outcome, options) {
    return this.#client.run(calls.reportRedirect(this.id, outcome), options);
  }

  /** Says what became of Stripe's collector: `paymentId` if it succeeded, `error` if it failed. */
  reportBankAccount(outcome, { signal, ...more } = {}) {
    return this.#client.run(calls.reportBankAccount(this.id, outcome, more), { signal });
  }

  /** The shopper accepts the mandate. */
  acceptMandate(options) {
    return this.#client.run(calls.answerMandate(this.id, true), options);
  }

  /** The shopper declines the mandate. */
  declineMandate(options) {
    return this.#client.run(calls.answerMandate(this.id, false), options);
  }
}
