/**
 * Client of checkoutd, the daemon that drives Primer headless checkouts.
 *
 * `Client` makes calls; a `Checkout` and its `PaymentComponent`s stand for what is in the daemon. They hold no state of
 * it, and `attach` takes a checkout up again in any process.
 */

/// <reference lib="es2018" />

import type {
  AdditionalInfo,
  CheckoutId,
  Calls,
  Component,
  ComponentId,
  ErrorData,
  Events,
  Open,
  Payment,
  Settings,
  Snapshot,
  Step,
  Timestamp,
} from "./models.js";

export * from "./models.js";

/** What ends waiting for a call or for events: it fails with the signal's reason. */
export interface Stoppable {
  signal?: AbortSignal | undefined;
}

export interface ClientOptions {
  /** Where the daemon listens; else that is found out by `defaultSocket`. */
  socketPath?: string;
  /** The milliseconds in which a reply must come, beside what the daemon waits on purpose (120 000). */
  timeout?: number;
  /** The milliseconds for which a daemon that is away is tried again (10 000). */
  patience?: number;
}

export type StartOptions = Omit<Calls["checkout.start"]["params"], "clientToken"> & Stoppable;
export type DecideOptions = Omit<
  Calls["checkout.decide"]["params"],
  "checkoutId" | "decisionId" | "decision"
> & Stoppable;

/** Who may see a checkout, or drive it. */
export type ShareWith = { uid: number } | { gid: number };

/** What a wait ended with; `matched` is null if the checkout ended without it. */
export type Waited = Calls["checkout.wait"]["result"];

/** Who the daemon is, and whom it takes us for. */
export type Hello = Calls["system.hello"]["result"];

/** What became of collected data; for a filter also the banks that it left. */
export type Validation = Calls["component.updateCollectedData"]["result"];

/** A checkout in a list: without what is long, or secret. */
export type ShortSnapshot = Pick<Snapshot, "checkoutId" | "state" | "seq"> & Partial<Snapshot>;

/** How a checkout ended. */
export type Outcome = NonNullable<Snapshot["outcome"]>;

/**
 * A client of the daemon. Calls share a connection; one that the daemon waits for, and each stream of events, has its
 * own.
 *
 * A daemon that is away is tried again. A call that nobody knows to have been made is made again only if that does no
 * harm; else it fails with `ConnectionLost`.
 */
export class Client {
  constructor(options?: ClientOptions);

  /** Where the daemon is. */
  readonly socketPath: string;

  /** Ends the connections, and what is waited for on them. Checkouts go on. */
  close(): void;

  /** Makes a call of the protocol by its name, as in `await client.call("system.status")`. */
  call<Method extends keyof Calls>(
    method: Method,
    params?: Calls[Method]["params"],
    options?: { timeout?: number } & Stoppable,
  ): Promise<Calls[Method]["result"]>;
  call<Method extends string>(
    method: Method extends keyof Calls ? never : Method,
    params?: object,
    options?: { timeout?: number } & Stoppable,
  ): Promise<unknown>;

  /** Who the daemon is, and whom it takes us for. */
  hello(client?: string, options?: Stoppable): Promise<Hello>;

  /**
   * Starts a checkout, and waits until it is ready.
   *
   * The same `startKey` with the same parameters gives the same checkout, also after a crash and after its end.
   */
  start(clientToken: string, options?: StartOptions): Promise<Checkout>;

  /** Takes up a checkout that was started before, here or in another process. */
  attach(named: CheckoutId | { startKey: string }, options?: Stoppable): Promise<Checkout>;

  /** Our checkouts, or those in some states, in short. */
  checkouts(states?: Snapshot["state"][], options?: Stoppable): AsyncGenerator<ShortSnapshot, void, undefined>;
}

/** A checkout in the daemon. Letting go of this object ends nothing. */
export class Checkout {
  /** The checkout of that id; nobody is asked whether it is there. */
  constructor(client: Client, id: CheckoutId);

  readonly id: CheckoutId;

  /** The checkout as it is now. */
  snapshot(options?: Stoppable): Promise<Snapshot>;

  /**
   * The component for a payment method: the same one each time.
   *
   * It comes from the manager that the snapshot names, unless another is given.
   */
  provide(paymentMethodType: string, options?: { manager?: string } & Stoppable): Promise<PaymentComponent>;

  /**
   * The events after a place, each once and in order, up to the terminal one.
   *
   * The generator connects again by itself, and goes on where it was. It fails with `TimedOut` when no event comes for
   * `timeout` milliseconds. Leaving the loop ends the connection.
   */
  events(
    options?: { after?: number | Place; timeout?: number } & Stoppable,
  ): AsyncGenerator<CheckoutEvent, void, undefined>;

  /**
   * Waits for `terminal` (the default), for `awaiting`, or for one of some events.
   *
   * Comes back also when the checkout ends without it; fails with `TimedOut` after `timeout` milliseconds.
   */
  wait(
    options?: { for?: Open<"terminal" | "awaiting" | keyof Events>[]; timeout?: number } & Stoppable,
  ): Promise<Waited>;

  /** Cancels it, if that is possible still; the state that it is in now. */
  cancel(reason?: string, options?: Stoppable): Promise<Snapshot["state"]>;

  /** Takes a decision that an event has asked for. */
  decide(
    decisionId: string,
    decision: Calls["checkout.decide"]["params"]["decision"],
    options?: DecideOptions,
  ): Promise<void>;

  /** Lets a user or a group see the checkout, or drive it. */
  share(role: "observe" | "drive", who: ShareWith, options?: Stoppable): Promise<void>;

  /** Takes that back. */
  unshare(who: ShareWith, options?: Stoppable): Promise<void>;
}

/** A component of a checkout: what it collects, `get` tells. Only `Checkout.provide` makes one. */
export class PaymentComponent {
  private constructor();

  readonly id: ComponentId;

  /** Starts it; the first step with data, as the banks to choose from. Once only, unless it fails. */
  start(options?: Stoppable): Promise<Step>;

  /** The component as it is now. */
  get(options?: Stoppable): Promise<Component>;

  /** Takes what the shopper gave: one field, as in `{ bankId: "9001" }`. */
  update(
    data: Calls["component.updateCollectedData"]["params"]["data"] | Record<string, string>,
    options?: Stoppable,
  ): Promise<Validation>;

  /** Pays with what was collected. From here the daemon goes on by itself. */
  submit(options?: Stoppable): Promise<void>;

  /** Says that the page is shown, or no more. */
  reportRedirect(outcome: "presented" | "dismissed", options?: Stoppable): Promise<void>;

  /** Says what became of Stripe's collector: `paymentId` if it succeeded, `error` if it failed. */
  reportBankAccount(
    outcome: Calls["component.reportBankAccount"]["params"]["outcome"],
    options?: Omit<Calls["component.reportBankAccount"]["params"], "componentId" | "outcome"> & Stoppable,
  ): Promise<void>;

  /** The shopper accepts the mandate. */
  acceptMandate(options?: Stoppable): Promise<void>;

  /** The shopper declines the mandate. */
  declineMandate(options?: Stoppable): Promise<void>;
}

/** Where the events of a checkout go on: keep it to go on in another process. In another epoch it means nothing. */
export interface Place {
  readonly epoch: string;
  readonly seq: number;
}

/**
 * Something that happened in a checkout; `params` has all that the protocol says of it.
 *
 * `events.lost` tells that the events from `params.from` to `params.to` are kept no longer.
 */
export class CheckoutEvent<Name extends Open<keyof Events> = Open<keyof Events>> {
  private constructor();

  readonly name: Name;
  readonly checkoutId: CheckoutId;
  /** The number of the event; of lost ones, that of the last. */
  readonly seq: number;
  /** Of which state of the daemon the number is. */
  readonly epoch: string;
  /** When it happened; not known of lost ones. */
  readonly time: Timestamp | undefined;
  readonly componentId: ComponentId | undefined;
  readonly params: Name extends keyof Events ? Events[Name] : Record<string, unknown>;

  /** Whether it has that name, and so its members. */
  is<Other extends keyof Events>(name: Other): this is CheckoutEvent<Other>;

  /** Where to go on after it: what `events({ after })` takes. */
  get place(): Place;

  /** Whether it is the last of its checkout. */
  get isTerminal(): boolean;

  /** Where the component has got to, in `component.didReceiveStep`. */
  get step(): Step | undefined;

  /** What the client has to show or do, in `checkout.didReceiveAdditionalInfo`. */
  get info(): AdditionalInfo | undefined;

  /** What went wrong, in events that tell of that. */
  get error(): ErrorData | undefined;

  /** How the checkout ended, in the terminal event. */
  get outcome(): Outcome | undefined;

  /** The payment, in the terminal event, if there is one. */
  get payment(): Payment | undefined;

  /** What to name in `decide`, in events that ask for a decision. */
  get decisionId(): string | undefined;
}

/** `$CHECKOUTD_SOCKET`; else the user's own daemon, for users other than root, if it is there; else the system's. */
export function defaultSocket(environment?: Record<string, string | undefined>, isRoot?: boolean): string;

/** The base of all errors of this package. */
export class CheckoutdError extends Error {}

/** The daemon answered a call with an error: switch on `code` and `errorId`. */
export class CallError extends CheckoutdError {
  readonly code: number;
  /** The error in full. */
  readonly data: Partial<ErrorData> & Record<string, unknown>;
  /** What happened, in a word, as in `unknown-checkout`; empty if the daemon did not say. */
  get errorId(): string;
}

/** The daemon could not be reached, so the call was not made. */
export class Unreachable extends CheckoutdError {}

/** The connection ended before the reply came: whether the call took effect is for the snapshot to tell. */
export class ConnectionLost extends CheckoutdError {}

/** What was waited for did not come in time. */
export class TimedOut extends CheckoutdError {}

/** What came is not what the daemon says. */
export class ProtocolError extends CheckoutdError {}
