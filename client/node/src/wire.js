/** Lines and messages, without a socket: bytes in, messages out. */

import { CallError, ConnectionLost, ProtocolError } from "./errors.js";

const SHUTTING_DOWN = -32005;
// Those that the last line of a connection has.
const LAST_WORDS = [-32004, SHUTTING_DOWN, -32007];

const LINE_FEED = 10;

/** Puts lines together. Only LF ends a line: other separators may stand in a text. */
export class LineBuffer {
  #pieces = [];

  /** The lines that this ends, without their LF. */
  feed(chunk) {
    const lines = [];
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      lines.push(Buffer.concat([...this.#pieces, chunk.subarray(start, end)]));
      this.#pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
    return lines;
  }
}

/** What is said on one connection. */
export class Conversation {
  #lastId = 0;
  #lines = new LineBuffer();

  /** A call: its number, and its line. */
  ask(method, params) {
    const id = ++this.#lastId;
    return { id, line: `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n` };
  }

  /**
   * The messages that these bytes end, one after the other.
   *
   * One is `{ method, params }` if it is told unasked, `{ id, result }` or `{ id, error }` if it is a reply; an error
   * that ends the connection is a `ConnectionLost`. Throws `ProtocolError` at a line that is none of these.
   */
  *receive(chunk) {
    for (const line of this.#lines.feed(chunk)) yield message(line);
  }
}

function message(line) {
  try {
    const read = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(line));
    if (typeof read.method === "string") return { method: read.method, params: objectIn(read.params ?? {}) };
    if ("result" in read) return { id: numberIn(read.id), result: read.result };
    return { id: read.id === null ? null : numberIn(read.id), error: failure(read.id, objectIn(read.error)) };
  } catch (problem) {
    throw new ProtocolError("a line that the daemon does not say", { cause: problem });
  }
}

function failure(id, error) {
  const answered = new CallError(numberIn(error.code), String(error.message), objectIn(error.data ?? {}));
  const isLast = error.code === SHUTTING_DOWN || (id === null && LAST_WORDS.includes(error.code));
  return isLast ? new ConnectionLost(answered.message, { cause: answered }) : answered;
}

function objectIn(value) {
  if (typeof value !== "object" || value === null) throw new TypeError("not an object");
  return value;
}

function numberIn(value) {
  if (typeof value !== "number") throw new TypeError("not a number");
  return value;
}
