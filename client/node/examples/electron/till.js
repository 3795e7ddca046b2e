// One sale at a time, as the main process drives it. It knows nothing of windows.

import { randomUUID } from "node:crypto";
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { CallError, ConnectionLost } from "checkoutd";

const IDLE = { screen: "idle" };
const WORKING = { screen: "working" };

/** What the shopper sees after an event, if that changes it. */
export function viewAfter(view, event) {
  if (event.isTerminal) return { screen: "end", outcome: event.outcome };
  const { name, state, banks, url } = event.step ?? {};
  if (name === "banksRetrieved") return { screen: "banks", banks };
  if (name === "webRedirect") return state === "loaded" ? { screen: "page", url } : WORKING;
  return view;
}

export class Till {
  #client;
  #file;
  #show;
  #checkout = null;
  #component = null;

  /** `file` keeps the sale's key while it lasts; `show` is called with each new view. */
  constructor(client, file, show) {
    this.#client = client;
    this.#file = file;
    this.#show = show;
    this.view = IDLE;
  }

  /** Begins a sale. */
  async begin(clientToken) {
    if (this.view.screen !== "idle") return;
    this.#see(WORKING);
    const startKey = randomUUID();
    // Kept before anything begins: whatever happens from here, the key leads to the checkout.
    this.#keep(startKey);
    try {
      const checkout = await this.#client.start(clientToken, { startKey, settings: { locale: "nl-NL" } });
      await this.#follow(checkout);
    } catch (problem) {
      // Before a checkout is there nothing can be taken; later only its end says so.
      const isRefused = this.#checkout === null && problem instanceof CallError;
      this.#see({ screen: "end", outcome: isRefused ? "failed" : "unknown", problem: String(problem) });
    }
  }

  /** Takes up the sale that was under way when this program ended, if there was one. */
  async resume() {
    if (!existsSync(this.#file)) return;
    this.#see(WORKING);
    const startKey = readFileSync(this.#file, "utf8");
    try {
      await this.#follow(await this.#client.attach({ startKey }));
    } catch (problem) {
      // It had not begun, or it ended long ago.
      if (problem instanceof CallError && problem.errorId === "unknown-checkout") this.next();
      else this.#see({ screen: "end", outcome: "unknown", problem: String(problem) });
    }
  }

  /** Pays with a bank. */
  async choose(bankId) {
    try {
      await this.#component.update({ bankId });
      await this.#component.submit();
    } catch (problem) {
      // Nobody knows whether it was submitted: if it was, events tell, and if not the shopper still sees the banks.
      if (!(problem instanceof ConnectionLost)) throw problem;
    }
  }

  /** The shopper does not want to pay after all; how the sale ends, events tell. */
  async cancel() {
    await this.#checkout.cancel("The shopper left");
  }

  /** For information: what happens to the bank's page, the payment's status decides. */
  reportRedirect(outcome) {
    this.#component?.reportRedirect(outcome).catch(() => {});
  }

  /** The next shopper. */
  next() {
    rmSync(this.#file, { force: true });
    this.#checkout = null;
    this.#component = null;
    this.#see(IDLE);
  }

  /** Goes through the events from the first on: after a crash that leads to what the shopper saw before it. */
  async #follow(checkout) {
    this.#checkout = checkout;
    await this.#prepare(checkout);
    for await (const event of checkout.events()) this.#see(viewAfter(this.view, event));
    // Of one that ended long ago the outcome is left, and no events.
    if (this.view.screen !== "end") this.#see({ screen: "end", outcome: (await checkout.snapshot()).outcome });
  }

  async #prepare(checkout) {
    try {
      this.#component = await checkout.provide("ADYEN_IDEAL");
      const { step } = await this.#component.get();
      if (step.name === "notInitialized") await this.#component.start();
    } catch (problem) {
      if (!(problem instanceof CallError && problem.errorId === "checkout-ended")) throw problem;
    }
  }

  #keep(startKey) {
    const descriptor = openSync(`${this.#file}.new`, "w", 0o600);
    writeFileSync(descriptor, startKey);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(`${this.#file}.new`, this.#file);
  }

  #see(view) {
    if (view === this.view) return;
    this.view = view;
    this.#show(view);
  }
}
