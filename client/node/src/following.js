/** Follows one checkout over any number of connections, without a socket: bytes in, events and lines to send out. */

import { CheckoutdError, ConnectionLost, ProtocolError } from "./errors.js";
import { CheckoutEvent } from "./events.js";
import { Conversation } from "./wire.js";

/**
 * The events of a checkout after a place, each once and in order.
 *
 * A place is an epoch of the daemon's state and the number of an event. Where the state is another one than before,
 * numbers mean other events: then all of them are told, from the first.
 */
export class Following {
  #checkoutId;
  #epoch;
  #seq;
  #hasEnded = false;
  #conversation;
  // The number of the last call, and what takes its result.
  #expected;
  // Until the reply, events are those of the subscription before: the replay brings them again.
  #isSubscribed = false;
  // Up to here events come from the store: what is missing among them is kept no longer.
  #replayTo = 0;
  // After this nothing can come.
  #end = Infinity;
  #output = "";

  constructor(checkoutId, after = 0) {
    this.#checkoutId = checkoutId;
    this.#epoch = typeof after === "number" ? null : after.epoch;
    this.#seq = typeof after === "number" ? after : after.seq;
  }

  /** After which event it goes on. */
  get place() {
    return { epoch: this.#epoch, seq: this.#seq };
  }

  /** Whether nothing can come any more. */
  get hasEnded() {
    return this.#hasEnded;
  }

  /** Begins a new connection. */
  open() {
    this.#conversation = new Conversation();
    this.#output = "";
    this.#isSubscribed = false;
    this.#ask("system.hello", {}, (hello) => this.#greet(hello));
  }

  /** What is to be sent now. */
  takeOutput() {
    const output = this.#output;
    this.#output = "";
    return output;
  }

  /**
   * What these bytes bring: the events to tell, the failure that follows them if any, and whether the daemon got on.
   *
   * After a `ConnectionLost` a new connection goes on where this one stopped.
   */
  receive(chunk) {
    const told = { events: [], failure: null, isProgress: false };
    try {
      for (const message of this.#conversation.receive(chunk)) {
        if (this.#hasEnded) break;
        if ("method" in message) this.#hear(message.method, message.params, told);
        else this.#answer(message, told);
      }
    } catch (failure) {
      told.failure = failure instanceof CheckoutdError ? failure : unheardOf(failure);
    }
    return told;
  }

  #answer({ id, result, error }, told) {
    if (id !== null && id !== this.#expected.id) return;
    if (error) throw error;
    this.#expected.take(result, told);
    told.isProgress ||= this.#isSubscribed;
  }

  #greet({ epoch }) {
    if (this.#epoch !== null && this.#epoch !== epoch) this.#seq = 0;
    this.#epoch = epoch;
    this.#subscribe();
  }

  #subscribe() {
    this.#isSubscribed = false;
    this.#ask("events.subscribe", this.#after, ({ to, ended, trimmedTo }, told) => {
      this.#isSubscribed = true;
      this.#replayTo = to;
      this.#end = ended ? to : Infinity;
      // All was wiped: no event is left to stand after what is missing.
      if (ended && to <= this.#seq && trimmedTo > this.#seq) this.#tell(this.#lost(trimmedTo), told);
      this.#hasEnded ||= this.#seq >= this.#end;
      if (ended === undefined && to <= this.#seq) this.#askWhetherEnded();
    });
  }

  /** What a daemon that does not say it with the subscription says of it. */
  #askWhetherEnded() {
    this.#ask("events.read", { ...this.#after, limit: 1 }, ({ ended, events }) => {
      this.#hasEnded ||= ended && events.length === 0;
    });
  }

  get #after() {
    return { checkoutId: this.#checkoutId, after: this.#seq };
  }

  #hear(name, params, told) {
    if (!this.#isSubscribed || params.checkoutId !== this.#checkoutId) return;
    const event = new CheckoutEvent(this.#epoch, name, params);
    const isGap = name === "events.lost" || event.seq > this.#seq + 1;
    if (isGap && event.seq > this.#replayTo) this.#subscribe();
    else if (event.seq > this.#seq) this.#tell(event, told);
  }

  #lost(to) {
    const params = { checkoutId: this.#checkoutId, from: this.#seq + 1, to };
    return new CheckoutEvent(this.#epoch, "events.lost", params);
  }

  #tell(event, told) {
    told.events.push(event);
    told.isProgress = true;
    this.#seq = event.seq;
    this.#hasEnded = event.isTerminal || event.seq >= this.#end;
  }

  #ask(method, params, take) {
    const { id, line } = this.#conversation.ask(method, params);
    this.#expected = { id, take };
    this.#output += line;
  }
}

const unheardOf = (cause) => new ProtocolError("a result that the daemon does not give", { cause });
