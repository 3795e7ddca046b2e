// The cases that every client shares, each with the bytes cut in different ways.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { CallError, ConnectionLost, ProtocolError } from "../../../client/node/src/errors.js";
import { Following } from "../../../client/node/src/following.js";

const cases = JSON.parse(readFileSync(new URL("../following/cases.json", import.meta.url), "utf8"));

const CHECKOUT = "co_1";

const whole = (bytes) => [bytes];
const cut = (bytes) => Array.from(bytes, (_, place) => bytes.subarray(place, place + 1));

/** One client, and a daemon that does what the steps say. */
class Play {
  constructor(after, cutting) {
    this.following = new Following(CHECKOUT, after);
    this.cutting = cutting;
    this.told = [];
    this.failure = null;
    this.connect();
  }

  connect() {
    this.following.open();
    this.sent = [];
    this.lastId = null;
  }

  say(text) {
    for (const chunk of this.cutting(Buffer.from(text))) {
      const { events, failure } = this.following.receive(chunk);
      this.told.push(...events);
      if (failure instanceof ConnectionLost) return this.connect();
      if (failure) {
        this.failure = failure;
        return;
      }
    }
  }

  sayMessage(message) {
    this.say(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  sayEvent(method, seq) {
    this.sayMessage({ method, params: { checkoutId: CHECKOUT, seq, time: "2030-01-01T00:00:00.000Z" } });
  }

  takeSent() {
    const text = this.following.takeOutput();
    assert.ok(text === "" || text.endsWith("\n"));
    this.sent.push(...text.split("\n").slice(0, -1).map((line) => JSON.parse(line)));
    return this.sent.splice(0);
  }

  takeTold() {
    return this.told.splice(0).map(({ name, seq, params }) => (name === "events.lost" ? [params.from, seq] : seq));
  }

  steps = {
    send: (expected) => {
      const calls = this.takeSent();
      assert.deepEqual(calls.map(({ method, params }) => [method, params]), [expected]);
      this.lastId = calls[0].id;
    },
    result: (result) => this.sayMessage({ id: this.lastId, result }),
    error: (error) => this.sayMessage({ id: this.lastId, error }),
    event: (seq) => this.sayEvent("component.didReceiveStep", seq),
    end: (seq) => this.sayEvent("checkout.didFail", seq),
    lost: ([from, to]) => this.sayMessage({ method: "events.lost", params: { checkoutId: CHECKOUT, from, to } }),
    line: (line) => this.say(`${line}\n`),
    fragment: (text) => this.say(text),
    break: () => this.connect(),
    told: (expected) => assert.deepEqual(this.takeTold(), expected),
    place: (expected) => assert.deepEqual(this.following.place, expected),
    over: () => assert.ok(this.following.hasEnded),
    failed: (expected) => {
      const failure = this.failure;
      this.failure = null;
      assert.ok(failure instanceof (expected === "protocol" ? ProtocolError : CallError), failure);
      if (expected !== "protocol") assert.equal(failure.errorId, expected);
    },
  };

  step(step) {
    const [[kind, value], ...more] = Object.entries(step);
    assert.deepEqual(more, []);
    if (kind !== "over") assert.ok(!this.following.hasEnded || ["told", "event", "place"].includes(kind), "it goes on");
    this.steps[kind](value);
  }
}

for (const { title, after, steps } of cases) {
  for (const cutting of [whole, cut]) {
    test(`${title} (${cutting.name})`, () => {
      const play = new Play(after, cutting);
      steps.forEach((step, index) => {
        try {
          play.step(step);
        } catch (problem) {
          throw new Error(`step ${index + 1}, ${JSON.stringify(step)}`, { cause: problem });
        }
      });
      assert.deepEqual([play.takeSent(), play.takeTold(), play.failure], [[], [], null]);
      assert.equal(play.following.hasEnded, "over" in steps.at(-1));
    });
  }
}
