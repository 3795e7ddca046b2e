/** Connected sockets: one that calls share, and one that events come by. */

import { connect } from "node:net";

import { ConnectionLost, Unreachable } from "./errors.js";
import { Conversation } from "./wire.js";

/** A new connection. */
export function connected(path) {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("error", (problem) => reject(new Unreachable(`${path}: ${problem.code}`, { cause: problem })));
    socket.once("connect", () => {
      socket.removeAllListeners("error");
      // What breaks is told of by what is waited for.
      socket.on("error", () => {});
      resolve(socket);
    });
  });
}

/** Calls on a connection, any number of them at the same time. It holds the process only while there are any. */
export class CallConnection {
  #socket;
  #conversation = new Conversation();
  #pending = new Map();

  constructor(socket) {
    this.#socket = socket;
    socket.unref();
    socket.on("data", (chunk) => this.#receive(chunk));
    socket.on("close", () => this.close(new ConnectionLost("the connection broke")));
  }

  get isOpen() {
    return !this.#socket.destroyed && this.#socket.writable;
  }

  /** The result of a call, as long as the scope waits for it. */
  async ask(method, params, scope) {
    const { id, line } = this.#conversation.ask(method, params);
    const reply = new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#socket.ref();
      this.#socket.write(line, (problem) => {
        // Nothing has been said unless all of it could be.
        if (problem) reject(new Unreachable("the daemon has closed the connection", { cause: problem }));
      });
    });
    try {
      return await scope.until(reply);
    } finally {
      this.#pending.delete(id);
      if (this.#pending.size === 0) this.#socket.unref();
    }
  }

  /** Ends it; calls that wait for their replies fail with this. */
  close(failure) {
    this.#socket.destroy();
    for (const { reject } of this.#pending.values()) reject(failure);
  }

  #receive(chunk) {
    try {
      for (const { method, id, result, error } of this.#conversation.receive(chunk)) {
        if (method !== undefined) continue;
        if (id === null) throw error;
        const asked = this.#pending.get(id);
        if (error) asked?.reject(error);
        else asked?.resolve(result);
      }
    } catch (failure) {
      this.close(failure);
    }
  }
}

/** The connections, one after the other, over which a checkout is followed. */
export class EventStream {
  #path;
  #following;
  #patience;
  #socket = null;
  #chunks;
  #failure = null;

  constructor(path, following, patience) {
    this.#path = path;
    this.#following = following;
    this.#patience = patience;
  }

  close() {
    this.#socket?.destroy();
    this.#socket = null;
  }

  /** The next events, of which there is at least one unless the checkout has ended. */
  async next(scope) {
    for (;;) {
      try {
        if (this.#failure) throw this.#failure;
        const { events, failure, isProgress } = await this.#receive(scope);
        if (isProgress) this.#patience.renew();
        this.#failure = failure;
        if (events.length > 0 || this.#following.hasEnded) return events;
      } catch (failure) {
        if (!(failure instanceof Unreachable || failure instanceof ConnectionLost)) throw failure;
        this.#failure = null;
        this.close();
        await scope.pause(this.#patience.pauseAfter(failure));
      }
    }
  }

  async #receive(scope) {
    if (this.#socket === null) {
      await this.#connect(scope);
      this.#following.open();
    }
    const output = this.#following.takeOutput();
    if (output) this.#socket.write(output);
    return this.#following.receive(await scope.until(this.#read()));
  }

  async #connect(scope) {
    const connecting = connected(this.#path);
    try {
      this.#socket = await scope.until(connecting);
    } catch (failure) {
      connecting.then((socket) => socket.destroy(), () => {});
      throw failure;
    }
    this.#chunks = this.#socket[Symbol.asyncIterator]();
  }

  async #read() {
    let read;
    try {
      read = await this.#chunks.next();
    } catch (problem) {
      throw new ConnectionLost("the connection broke", { cause: problem });
    }
    if (read.done) throw new ConnectionLost("the daemon has closed the connection");
    return read.value;
  }
}
