/** How long to wait, and how often to try. */

import { TimedOut } from "./errors.js";

const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 1000;
// Beyond this a timer would fire at once.
const LONGEST_TIMER = 2 ** 31 - 1;

/** How long a daemon that is away is tried again. */
export class Patience {
  #span;
  #clock;
  #pause = FIRST_PAUSE;
  #end = null;

  constructor(span, clock = () => performance.now()) {
    this.#span = span;
    this.#clock = clock;
  }

  /** There it is: the next failure is the first. */
  renew() {
    this.#pause = FIRST_PAUSE;
    this.#end = null;
  }

  /** The milliseconds to wait before the next try; throws the failure when the patience is over. */
  pauseAfter(failure) {
    const now = this.#clock();
    this.#end ??= now + this.#span;
    if (now >= this.#end) throw failure;
    const pause = Math.min(this.#pause, this.#end - now);
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
    return pause;
  }
}

/** Something that is being waited for, which a time limit, the caller's signal or the end of the client stops. */
export class Scope {
  #stop;
  #stopped = new Promise((_, reject) => (this.#stop = reject));

  constructor() {
    // Nobody may be waiting at the moment that it is stopped.
    this.#stopped.catch(() => {});
  }

  /** Makes all that is waited for here fail with this. */
  stop(reason) {
    this.#stop(reason);
  }

  /** What a promise comes to, unless the scope is stopped before. */
  async until(promise) {
    // Whatever becomes of it after a stop is nobody's.
    promise.catch(() => {});
    return await Promise.race([this.#stopped, promise]);
  }

  /** Lets time pass. */
  async pause(span) {
    let timer;
    try {
      await this.until(new Promise((resolve) => (timer = setTimeout(resolve, span))));
    } finally {
      clearTimeout(timer);
    }
  }

  /** Does something within a span, and only until a signal is aborted. */
  async run(span, signal, work) {
    signal?.throwIfAborted();
    const abort = () => this.stop(signal.reason);
    const late = () => this.stop(new TimedOut("what was waited for did not come in time"));
    const timer = span <= LONGEST_TIMER ? setTimeout(late, span) : undefined;
    signal?.addEventListener("abort", abort, { once: true });
    try {
      return await work(this);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }
}
