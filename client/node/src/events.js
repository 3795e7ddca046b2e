/** What happened in a checkout. */

const TERMINAL = ["checkout.didCompleteCheckout", "checkout.didFail"];

/** An event; `params` has all that the protocol says of it. */
export class CheckoutEvent {
  constructor(epoch, name, params) {
    this.name = name;
    this.checkoutId = params.checkoutId;
    this.seq = params.seq ?? params.to;
    this.epoch = epoch;
    this.time = params.time;
    this.componentId = params.componentId;
    this.params = params;
  }

  /** Whether it has that name. */
  is(name) {
    return this.name === name;
  }

  /** Where to go on after it: what `events({ after })` takes. */
  get place() {
    return { epoch: this.epoch, seq: this.seq };
  }

  /** Whether it is the last of its checkout. */
  get isTerminal() {
    return TERMINAL.includes(this.name);
  }

  /** Where the component has got to, in `component.didReceiveStep`. */
  get step() {
    return this.params.step;
  }

  /** What the client has to show or do, in `checkout.didReceiveAdditionalInfo`. */
  get info() {
    return this.params.info;
  }

  /** What went wrong, in events that tell of that. */
  get error() {
    return this.params.error;
  }

  /** How the checkout ended, in the terminal event. */
  get outcome() {
    return this.params.outcome;
  }

  /** The payment, in the terminal event, if there is one. */
  get payment() {
    return this.params.payment;
  }

  /** What to name in `decide`, in events that ask for a decision. */
  get decisionId() {
    return this.params.decisionId;
  }
}
