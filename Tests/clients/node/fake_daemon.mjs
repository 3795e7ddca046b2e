// Whoever listens at a path, and answers as a test wants it.

import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client } from "../../../client/node/src/index.js";

/** One connection of a client. */
class Peer {
  constructor(socket, number) {
    this.socket = socket;
    this.number = number;
  }

  say(message) {
    this.socket.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  event(seq, method = "component.didReceiveStep", more = {}) {
    this.say({ method, params: { checkoutId: "co_1", seq, time: "2030-01-01T00:00:00.000Z", ...more } });
  }

  /** Says no more; what was said arrives. */
  hangUp() {
    this.socket.end();
  }
}

/** A daemon; `answer` is called with each call and the connection that it came by, from the first (0) on. */
export class FakeDaemon {
  calls = [];
  peers = [];
  #server;

  constructor(test, answer = (call, peer) => peer.say({ id: call.id, result: {} })) {
    const directory = mkdtempSync(join(tmpdir(), "checkoutd-node-"));
    this.path = join(directory, "socket");
    this.answer = answer;
    this.test = test;
    test.after(async () => {
      await this.close();
      rmSync(directory, { recursive: true });
    });
  }

  static async listening(test, answer) {
    const daemon = new FakeDaemon(test, answer);
    await daemon.listen();
    return daemon;
  }

  async listen() {
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.listen(this.path);
    await once(this.#server, "listening");
  }

  async close() {
    for (const { socket } of this.peers) socket.destroy();
    if (!this.#server?.listening) return;
    this.#server.close();
    await once(this.#server, "close");
  }

  /** A client of it that is closed after the test. */
  client(options) {
    const client = new Client({ socketPath: this.path, timeout: 10_000, ...options });
    this.test.after(() => client.close());
    return client;
  }

  #accept(socket) {
    const peer = new Peer(socket, this.peers.length);
    this.peers.push(peer);
    socket.on("error", () => {});
    this.greet?.(peer);
    createInterface({ input: socket }).on("line", (line) => {
      const call = JSON.parse(line);
      this.calls.push(call);
      this.answer(call, peer);
    }).on("error", () => {});
  }
}

/** What answers the calls of somebody who follows a checkout: `told` tells events after a number. */
export function following(told, epoch = () => "e1") {
  return (call, peer) => {
    if (call.method === "system.hello") return peer.say({ id: call.id, result: { epoch: epoch(peer) } });
    const { after } = call.params;
    peer.say({ id: call.id, result: { subscriptionId: "s1", from: after + 1, to: after, ended: false } });
    return told(peer, after);
  };
}
