/** The client. */

import * as calls from "./calls.js";
import { Checkout } from "./checkout.js";
import { CallConnection, connected, EventStream } from "./connection.js";
import { CheckoutdError, ConnectionLost } from "./errors.js";
import { Following } from "./following.js";
import { defaultSocket } from "./place.js";
import { Patience, Scope } from "./timing.js";

/**
 * A client of the daemon. Calls share a connection; one that the daemon waits for, and each stream of events, has its
 * own.
 *
 * A daemon that is away is tried again for `patience` milliseconds. A call that nobody knows to have been made is made
 * again only if that does no harm; else it fails with `ConnectionLost`. The reply must come within `timeout`
 * milliseconds, beside what the daemon waits on purpose.
 */
export class Client {
  #timeout;
  #patience;
  #shared = null;
  #scopes = new Set();
  #isClosed = false;

  constructor({ socketPath = defaultSocket(), timeout = 120_000, patience = 10_000 } = {}) {
    this.socketPath = socketPath;
    this.#timeout = timeout;
    this.#patience = patience;
  }

  /** Ends the connections, and what is waited for on them. Checkouts go on. */
  close() {
    const failure = new ConnectionLost("the client is closed");
    this.#isClosed = true;
    for (const scope of this.#scopes) scope.stop(failure);
    this.#shared?.then((connection) => connection.close(failure), () => {});
    this.#shared = null;
  }

  /** Makes one of the calls of this package. */
  run(call, { signal, timeout = this.#timeout } = {}) {
    const patience = new Patience(this.#patience);
    return this.#within(timeout + (call.waitMs ?? 0), signal, async (scope) => {
      for (;;) {
        try {
          return call.read(await this.#try(call, scope));
        } catch (failure) {
          if (!calls.mayBeRepeated(call, failure)) throw failure;
          await scope.pause(patience.pauseAfter(failure));
        }
      }
    });
  }

  async #within(span, signal, work) {
    if (this.#isClosed) throw new ConnectionLost("the client is closed");
    const scope = new Scope();
    this.#scopes.add(scope);
    try {
      return await scope.run(span, signal, work);
    } catch (failure) {
      throw told(failure);
    } finally {
      this.#scopes.delete(scope);
    }
  }

  async #try({ method, params, waitMs }, scope) {
    const connecting = waitMs === null ? this.#sharedConnection() : this.#newConnection();
    try {
      const connection = await scope.until(connecting);
      return await connection.ask(method, params, scope);
    } finally {
      if (waitMs !== null) connecting.then((own) => own.close(new ConnectionLost("nobody waits")), () => {});
    }
  }

  async #newConnection() {
    return new CallConnection(await connected(this.socketPath));
  }

  async #sharedConnection() {
    const known = this.#shared;
    const connection = await known?.catch(() => null);
    if (connection?.isOpen) return connection;
    // Of those who found it broken the first makes a new one.
    if (this.#shared === known) this.#shared = this.#newConnection();
    return await this.#shared;
  }

  /** Makes a call of the protocol by its name, as in `await client.call("system.status")`. */
  call(method, params, options) {
    return this.run(calls.anyCall(method, params), options);
  }

  /** Who the daemon is, and whom it takes us for. */
  hello(client, options) {
    return this.run(calls.hello(client), options);
  }

  /** Starts a checkout, and waits until it is ready. */
  async start(clientToken, { signal, ...options } = {}) {
    const { checkoutId } = await this.run(calls.start(clientToken, options), { signal });
    return new Checkout(this, checkoutId);
  }

  /** Takes up a checkout that was started before, here or in another process. */
  async attach(named, options) {
    const { checkoutId } = await this.run(calls.find(named), options);
    return new Checkout(this, checkoutId);
  }

  /** Our checkouts, or those in some states, in short. */
  async *checkouts(states, options) {
    let cursor;
    do {
      const page = await this.run(calls.listCheckouts(states, cursor), options);
      yield* page.checkouts;
      cursor = page.next;
    } while (cursor !== undefined);
  }

  /** What `Checkout.events` says. */
  async *follow(checkoutId, { after = 0, signal, timeout = Infinity } = {}) {
    const following = new Following(checkoutId, after);
    const stream = new EventStream(this.socketPath, following, new Patience(this.#patience));
    try {
      while (!following.hasEnded) yield* await this.#within(timeout, signal, (scope) => stream.next(scope));
    } finally {
      stream.close();
    }
  }
}

/** The failure, with the stack of whoever waits for it in place of that of what read the bytes. */
function told(failure) {
  if (failure instanceof CheckoutdError) Error.captureStackTrace(failure, told);
  return failure;
}
