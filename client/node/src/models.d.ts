// What goes over the wire, named as in the protocol. Made by client/models/generate.

/** One of the words that are known, or one that a later daemon adds. */
export type Open<Word extends string> = Word | (string & Record<never, never>);

export type Settings = {
  /** auto (the default): the daemon creates the payment; manual: your backend does. */
  paymentHandling?: "auto" | "manual";
  /** The shopper's language and region, as in nl-NL. */
  locale?: string;
  /** Where a page or Stripe's collector returns to. */
  urlScheme?: string;
  /** What ACH needs. */
  stripe?: {
    publishableKey?: string;
    mandateText?: string;
    merchantName?: string;
  };
};

export type Snapshot = {
  checkoutId: CheckoutId;
  /** For the owner and administrators. */
  startKey?: string;
  state: State;
  /** The number of the latest event. */
  seq: number;
  owner: {
    uid: number;
  };
  createdAt: Timestamp;
  expiresAt?: Timestamp;
  paymentHandling: Open<"auto" | "manual">;
  /** session: another token of the client session is recognised; token: this one alone. */
  paymentProtection?: Open<"session" | "token">;
  availablePaymentMethods?: PaymentMethod[];
  unavailablePaymentMethods?: UnavailablePaymentMethod[];
  clientSession?: ClientSession;
  /** As component.get tells of each. */
  components: Component[];
  /** What a client must do for the checkout to go on. */
  awaiting: ({
    kind: Open<"decision" | "redirect" | "bankAccount" | "mandate" | "code" | "confirmation">;
    since: Timestamp;
    deadline?: Timestamp;
    decisionId?: string;
    /** Of a redirect: the page to show to the shopper. */
    url?: string;
    /** Of a bank account, a mandate or a code. */
    info?: AdditionalInfo;
  })[];
  payment?: Payment;
  secondPayment?: Payment;
  outcome?: Open<"success" | "pending" | "handledByClient" | "failed" | "cancelled" | "unknown">;
  error?: ErrorData;
  /** A voucher's. */
  additionalInfo?: AdditionalInfo;
  redacted?: boolean;
  /** Of a start with allowRepeat: what it overrides. */
  repeats?: {
    outcome: Open<"success" | "pending" | "handledByClient" | "failed" | "cancelled" | "unknown">;
    payment?: Payment;
  };
};

export type CheckoutId = string;

export type State = Open<"starting" | "ready" | "submitted" | "awaitingDecision" | "awaitingRedirect" | "awaitingBankAccount" | "awaitingMandate" | "awaitingCode" | "awaitingConfirmation" | "processing" | "cancelling" | "completed" | "failed" | "archived">;

export type Timestamp = string;

export type PaymentMethod = {
  /** As in ADYEN_IDEAL. */
  type: string;
  name?: string;
  manager: Open<"nativeUIManager" | "rawDataManager" | "componentWithRedirectManager" | "achManager">;
  implementationType?: string;
  /** How its button looks. */
  display?: {
    name: string;
    text?: string;
    icons?: {
      /** A https or data URL. */
      colored?: string;
      light?: string;
      dark?: string;
    };
    backgroundColor?: {
      /** #RRGGBB or #RRGGBBAA. */
      colored?: string;
      light?: string;
      dark?: string;
    };
    textColor?: {
      /** Likewise. */
      colored?: string;
      light?: string;
      dark?: string;
    };
    borderColor?: {
      /** Likewise. */
      colored?: string;
      light?: string;
      dark?: string;
    };
    borderWidth?: number;
    cornerRadius?: number;
  };
  /** What it costs extra, in minor units. */
  surcharge?: number;
};

export type UnavailablePaymentMethod = {
  type: string;
  name?: string;
  reason: Open<"backend-driven" | "needs-vendor-sdk" | "card-data" | "unknown-implementation" | "no-component" | "started-before-upgrade">;
};

export type ClientSession = {
  orderId?: unknown;
  currencyCode?: unknown;
  /** Minor units, as are all amounts. */
  totalAmount?: unknown;
  countryCode?: string;
  /** Each with type and amount. */
  fees?: Record<string, unknown>[];
  /** amount, methodId, methodName. */
  shipping?: Record<string, unknown>;
  taxes?: number;
  lineItems?: Record<string, unknown>[];
  customer?: Record<string, unknown>;
};

export type Component = {
  componentId: ComponentId;
  component: string;
  paymentMethodType: string;
  /** What it collects: a form needs no more. */
  fields: Field[];
  step: Step;
  banks?: IssuingBank[];
  details?: UserDetails;
  /** By field: status, errors. */
  validation?: Record<string, unknown>;
  /** What was accepted. */
  data?: Record<string, unknown>;
  submittable: boolean;
  missing: string[];
};

export type ComponentId = string;

export type Field = {
  name: string;
  kind: Open<"text" | "email" | "phone" | "digits" | "choice">;
  label: string;
  isSecret: boolean;
  required: boolean;
};

export type Step = {
  /** notInitialized, loading, ready, banksRetrieved, retrievedUserDetails, didCollectUserDetails, webRedirect, awaitingCode or awaitingConfirmation. */
  name: string;
  /** Of banksRetrieved. */
  banks?: IssuingBank[];
  /** Of retrievedUserDetails. */
  details?: UserDetails;
  /** Of webRedirect. */
  state?: Open<"loading" | "loaded" | "dismissed" | "success" | "failure">;
  /** Of webRedirect, when loaded: the page to show to the shopper. */
  url?: string;
};

export type IssuingBank = {
  id: string;
  name: string;
  iconUrlStr?: string;
  isDisabled: boolean;
};

export type UserDetails = {
  firstName?: string | null;
  lastName?: string | null;
  emailAddress?: string | null;
  phoneNumber?: string;
};

export type AdditionalInfo = {
  kind: Open<"bankAccountCollector" | "mandate" | "qrCode" | "voucher">;
  /** Of a code: base64 of a PNG, JPEG, GIF or WebP file; or */
  image?: string;
  /** where one is, which the daemon never fetches. */
  imageUrl?: string;
  /** Of a voucher: what the shopper pays with. */
  reference?: string;
  /** Of a voucher: who is paid. */
  entity?: string;
  /** Of a code a time; of a voucher as upstream wrote it. */
  expiresAt?: string;
  /** Of a voucher, in minor units. */
  amount?: number | null;
  /** Of a voucher. */
  currencyCode?: string | null;
  /** For the collector: Stripe's key. */
  publishableKey?: string;
  /** For the collector: the intent's secret. */
  clientSecret?: string;
  /** For the collector: where it returns to. */
  returnUrl?: string;
  /** For the collector: the account's owner. */
  fullName?: string;
  /** For the collector: the owner's. */
  emailAddress?: string;
  /** The mandate to be shown, if settings have one; or */
  text?: string;
  /** whom the mandate is for. */
  merchantName?: string;
};

export type Payment = {
  id?: string | null;
  orderId?: string | null;
  status?: string | null;
  /** It was made before this checkout's creation: the order is paid, this checkout took nothing. */
  existing?: boolean;
};

export type ErrorData = {
  /** What went wrong; clients switch on it. */
  errorId: string;
  /** For people to read. */
  description?: string;
  /** What to do about it. */
  recoverySuggestion?: string;
  /** To be found in the journal. */
  diagnosticsId?: string;
  /** JSON pointer to the parameter. */
  path?: string;
  /** Who has the payment method; or */
  manager?: Open<"nativeUIManager" | "rawDataManager" | "componentWithRedirectManager" | "achManager">;
  /** why nobody has. */
  reason?: Open<"backend-driven" | "needs-vendor-sdk" | "card-data" | "unknown-implementation" | "no-component" | "started-before-upgrade">;
  /** When the client token expired, and */
  expiresAt?: Timestamp;
  /** what the daemon's clock says: a wrong one is the usual cause. */
  time?: Timestamp;
  /** What is not on the allow list. */
  host?: string;
  /** What upstream answered with. */
  httpStatus?: number;
  /** Upstream's own errorId. */
  serverErrorId?: string;
  /** Upstream's own text. */
  serverDescription?: string;
  /** To quote to upstream. */
  serverDiagnosticsId?: string;
  /** Upstream's own findings. */
  serverValidationErrors?: string[];
  /** What is wrong with the collected data. */
  validationErrors?: {
    field: string;
    errorId: string;
    description: string;
  }[];
};

export type CheckoutReference = string | {
  /** The key that checkout.start was given. */
  startKey: string;
};

export type ValidationError = {
  errorId: string;
  description: string;
  diagnosticsId?: string;
  inputElementType?: string;
};

/** The calls that there are, by name: what each takes, and what it answers with. */
export interface Calls {
  /** Introduces the client, and says what this daemon is and allows. */
  "system.hello": {
    params: {
      /** Who is calling, for the journal. */
      client?: string;
    };
    result: {
      server: {
        name: string;
        version: string;
      };
      protocol: number;
      /** New whenever the state was reset. */
      epoch: string;
      limits: Record<string, unknown>;
      you: {
        uid: number;
        gid: number;
        pid: number;
        role: Open<"user" | "administrator">;
      };
      features: string[];
    };
  };
  /** Does nothing, and answers. */
  "system.ping": {
    params: Record<string, never>;
    result: Record<string, never>;
  };
  /** Answers with its parameters. */
  "system.echo": {
    params: unknown;
    result: unknown;
  };
  /** Tells what the daemon is doing: for administrators of all, else your own. */
  "system.status": {
    params: Record<string, never>;
    result: {
      uptimeMs: number;
      version: string;
      /** How many, by state. */
      checkouts: Record<string, unknown>;
      subscriptions: number;
      /** Published and lost; for administrators. */
      events?: Record<string, unknown>;
      upstream: Record<string, unknown>;
      store: Record<string, unknown>;
    };
  };
  /** Tells what was counted and measured, for Prometheus; for administrators. */
  "system.metrics": {
    params: Record<string, never>;
    result: {
      /** As an HTTP server has to say it. */
      contentType: string;
      /** Prometheus' text format 0.0.4. */
      text: string;
    };
  };
  /** Lists the connections; for administrators. */
  "system.connections": {
    params: {
      /** Where the page before ended. */
      cursor?: string;
      /** At most so many; 100 if not given. */
      limit?: number;
    };
    result: {
      connections: Record<string, unknown>[];
      /** The cursor of the next page; absent on the last. */
      next?: string;
    };
  };
  /** Has upstream asked again what became of payments, after a question has made a second payment; for administrators. */
  "system.allowQuestions": {
    params: Record<string, never>;
    result: Record<string, never>;
  };
  /** Copies the state to `backups` of the state directory; for administrators. Answers when the copy is on the disk; it holds what was committed until then. */
  "system.backup": {
    params: {
      /** What the copy is called; there must be none of that name. */
      name: string;
    };
    result: {
      /** Where it is. */
      path: string;
      /** How large it is. */
      bytes: number;
    };
  };
  /** Reads the configuration again; for administrators. Answers when it is in force. */
  "system.reload": {
    params: Record<string, never>;
    result: {
      /** The options that were changed and are read at start alone; absent if none was. */
      needsRestart?: string[];
    };
  };
  /** Describes every method, event and error of this daemon. */
  "rpc.discover": {
    params: Record<string, never>;
    result: unknown;
  };
  /** Starts a checkout for a client token; answers when its configuration is loaded. */
  "checkout.start": {
    params: {
      /** The token that your backend was given. */
      clientToken: string;
      /** How the payment is to go. */
      settings?: Settings;
      /** What you want to decide yourself. */
      decisions?: "willCreatePayment"[];
      /** How long each decision may take. */
      decisionTimeoutMs?: number;
      /** Makes the start repeatable: the same key, one checkout. */
      startKey?: string;
      /** Who else may use it. */
      share?: ({
        /** A user; or */
        uid?: number;
        /** a group. */
        gid?: number;
        role: "observe" | "drive";
      })[];
      /** Start although a checkout of this session has ended in which money moved or may move. */
      allowRepeat?: boolean;
    };
    result: Snapshot;
  };
  /** Tells everything about a checkout. */
  "checkout.get": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
    };
    result: Snapshot;
  };
  /** Waits until something happens to a checkout. */
  "checkout.wait": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** terminal, awaiting, or names of events. */
      for: string[];
      /** Wait so long at most. */
      waitMs: number;
    };
    result: {
      snapshot: Snapshot;
      /** What it was; null if the time ran out or the checkout ended without it. */
      matched: string | null;
    };
  };
  /** Lists checkouts in the order they were started. */
  "checkout.list": {
    params: {
      /** Only those in one of these states. */
      states?: State[];
      /** Also those shared with you. */
      shared?: boolean;
      /** Everyone's; for administrators. */
      all?: boolean;
      /** Where the page before ended. */
      cursor?: string;
      /** At most so many; 100 if not given. */
      limit?: number;
    };
    result: {
      /** Short snapshots. */
      checkouts: Record<string, unknown>[];
      /** The cursor of the next page; absent on the last. */
      next?: string;
    };
  };
  /** Cancels a checkout as far as that is still possible. */
  "checkout.cancel": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** For the journal. */
      reason?: string;
    };
    result: {
      state: State;
    };
  };
  /** Takes a decision that an event has asked for. */
  "checkout.decide": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** As the event named it. */
      decisionId: string;
      /** What is to happen. */
      decision: "continue" | "abort" | "continueWithNewClientToken" | "complete";
      /** With continue: instead of a derived one; of this attempt alone. */
      paymentIdempotencyKey?: string;
      /** With abort. */
      message?: string;
      /** With continueWithNewClientToken. */
      clientToken?: string;
      /** With complete or abort: what your backend made. */
      payment?: {
        id?: string;
        orderId?: string;
        status?: string;
      };
    };
    result: Record<string, never>;
  };
  /** Lets another user or group use a checkout; for its owner. */
  "checkout.share": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** observe: look on; drive: all but share. */
      role: "observe" | "drive";
      /** A user; or */
      uid?: number;
      /** a group. */
      gid?: number;
    };
    result: Record<string, never>;
  };
  /** Takes a share back; for the checkout's owner. */
  "checkout.unshare": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** A user; or */
      uid?: number;
      /** a group. */
      gid?: number;
    };
    result: Record<string, never>;
  };
  /** Provides the component that collects the shopper's bank. */
  "componentWithRedirectManager.provideBanksComponent": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** As in ADYEN_IDEAL. */
      paymentMethodType: string;
    };
    result: {
      componentId: ComponentId;
      component: string;
      state: Component;
    };
  };
  /** Provides a component whose payment redirects the shopper. */
  "componentWithRedirectManager.provide": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** As in ADYEN_IDEAL. */
      paymentMethodType: string;
    };
    result: {
      componentId: ComponentId;
      component: string;
      state: Component;
    };
  };
  /** Provides a component that collects nothing: the shopper is shown a page, a code or a voucher. */
  "nativeUIManager.provide": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** As in ADYEN_IDEAL. */
      paymentMethodType: string;
    };
    result: {
      componentId: ComponentId;
      component: string;
      state: Component;
    };
  };
  /** Provides a component that collects one field. */
  "rawDataManager.provide": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** As in ADYEN_IDEAL. */
      paymentMethodType: string;
    };
    result: {
      componentId: ComponentId;
      component: string;
      state: Component;
    };
  };
  /** Provides the component that collects what ACH needs. */
  "achManager.provide": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** As in ADYEN_IDEAL. */
      paymentMethodType: string;
    };
    result: {
      componentId: ComponentId;
      component: string;
      state: Component;
    };
  };
  /** Starts a component; answers with its first data step. Once, or again after a failure. */
  "component.start": {
    params: {
      /** As provided. */
      componentId: ComponentId;
    };
    result: {
      step: Step;
    };
  };
  /** Collects one field, and judges it. */
  "component.updateCollectedData": {
    params: {
      /** As provided. */
      componentId: ComponentId;
      /** Exactly one field of the component's. */
      data: { bankId: string } | { bankFilterText: string } | { firstName: string } | { lastName: string } | { emailAddress: string } | { otp: string } | { phoneNumber: string };
    };
    result: {
      status: Open<"valid" | "invalid" | "error">;
      errors?: ValidationError[];
      /** What was read, where a component tells it. */
      data?: Record<string, unknown>;
      /** The banks that a filter left. */
      banks?: IssuingBank[];
    };
  };
  /** Submits the data; from here the daemon goes on by itself. */
  "component.submit": {
    params: {
      /** As provided. */
      componentId: ComponentId;
    };
    result: Record<string, never>;
  };
  /** Tells everything about a component. */
  "component.get": {
    params: {
      /** As provided. */
      componentId: ComponentId;
    };
    result: Component;
  };
  /** Tells what became of the page; for information, the status poll decides. */
  "component.reportRedirect": {
    params: {
      /** As provided. */
      componentId: ComponentId;
      /** Shown, or shown no more. */
      outcome: "presented" | "dismissed";
    };
    result: Record<string, never>;
  };
  /** Tells what came of the bank-account collector. */
  "component.reportBankAccount": {
    params: {
      /** As provided. */
      componentId: ComponentId;
      /** What the collector came to. */
      outcome: "succeeded" | "pendingVerification" | "failed" | "cancelled";
      /** With succeeded: the collector's id. */
      paymentId?: string;
      /** With failed: the collector's own error. */
      error?: {
        errorId: string;
        description?: string;
      };
    };
    result: Record<string, never>;
  };
  /** Tells that the shopper accepted the mandate. */
  "component.acceptMandate": {
    params: {
      /** As provided. */
      componentId: ComponentId;
    };
    result: Record<string, never>;
  };
  /** Tells that the shopper declined the mandate. */
  "component.declineMandate": {
    params: {
      /** As provided. */
      componentId: ComponentId;
    };
    result: Record<string, never>;
  };
  /** Sends events as they happen; with after, first those that happened before. */
  "events.subscribe": {
    params: {
      /** Without it: all of yours, also future ones. */
      checkoutId?: CheckoutReference;
      /** Also those shared with you. */
      shared?: boolean;
      /** Everyone's; for administrators. */
      all?: boolean;
      /** Names, or prefixes such as component. */
      types?: string[];
      /** Begin after this event; needs checkoutId. */
      after?: number;
    };
    result: {
      subscriptionId: string;
      /** Short, without after. */
      snapshots?: Record<string, unknown>[];
      /** Not all were told: checkout.list has the rest. */
      more?: boolean;
      /** With after: the first number that is sent. */
      from?: number;
      /** With after: the last event of before. */
      to?: number;
      /** With after: no event comes after to. */
      ended?: boolean;
      /** Up to it events may be gone. */
      trimmedTo?: number;
    };
  };
  /** Ends a subscription. */
  "events.unsubscribe": {
    params: {
      /** As events.subscribe answered. */
      subscriptionId: string;
    };
    result: Record<string, never>;
  };
  /** Reads the events that happened, or waits for the next. */
  "events.read": {
    params: {
      /** The checkout's id, or {"startKey"}. */
      checkoutId: CheckoutReference;
      /** Begin after this event. */
      after?: number;
      /** Names, or prefixes such as component. */
      types?: string[];
      /** At most so many; 100 if not given. */
      limit?: number;
      /** Wait so long if there is none. */
      waitMs?: number;
    };
    result: {
      events: {
        method: string;
        params: unknown;
      }[];
      /** What after must be to go on. */
      next: number;
      /** Whether no more can come. */
      ended: boolean;
      /** Up to it events may be gone. */
      trimmedTo?: number;
    };
  };
}

/** The events that there are, by name: what each tells. */
export interface Events {
  /** The configuration is loaded. */
  "checkout.didLoadAvailablePaymentMethods": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    availablePaymentMethods: PaymentMethod[];
    unavailablePaymentMethods: UnavailablePaymentMethod[];
    /** display is left out; checkout.get has it. */
    displayTrimmed?: boolean;
  };
  /** A component has come to a new step. */
  "component.didReceiveStep": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    step: Step;
  };
  /** Collected data is being judged, or has been. */
  "component.didUpdateValidationStatus": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    status: Open<"validating" | "valid" | "invalid" | "error">;
    errors?: ValidationError[];
    error?: ErrorData;
    /** The field that was collected. */
    data: Record<string, unknown>;
  };
  /** Something went wrong that the shopper or the client can mend. */
  "component.didReceiveError": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    error: ErrorData;
  };
  /** The payment is about to be created; you may have to decide. */
  "checkout.willCreatePayment": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    paymentMethodType: string;
    /** To be named in checkout.decide. */
    decisionId?: string;
    deadline?: Timestamp;
  };
  /** The payment method is being tokenized; no way back to the data. */
  "checkout.didStartTokenization": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    paymentMethodType: string;
  };
  /** The payment method is tokenized; in manual handling, decide. */
  "checkout.didTokenizePaymentMethod": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    paymentMethodType: string;
    paymentMethodTokenData?: Record<string, unknown>;
    /** Manual handling: for your backend's payment. */
    paymentIdempotencyKey?: string;
    /** To be named in checkout.decide. */
    decisionId?: string;
    deadline?: Timestamp;
  };
  /** The shopper needs this to go on: an account, a mandate, a code, a voucher. */
  "checkout.didReceiveAdditionalInfo": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    info: AdditionalInfo;
  };
  /** Manual handling: resume the payment with this token, then decide. */
  "checkout.didResumeWith": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    resumeToken: string;
    /** To be named in checkout.decide. */
    decisionId?: string;
    deadline?: Timestamp;
  };
  /** The client session is about to change. */
  "checkout.willUpdateClientSession": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    clientSession: ClientSession;
  };
  /** The client session has changed. */
  "checkout.didUpdateClientSession": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    clientSession: ClientSession;
  };
  /** The checkout has ended well. */
  "checkout.didCompleteCheckout": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    payment?: Payment;
    /** A voucher's. */
    additionalInfo?: AdditionalInfo;
    outcome: Open<"success" | "pending" | "handledByClient">;
  };
  /** The checkout has ended otherwise; see its outcome. */
  "checkout.didFail": {
    checkoutId: CheckoutId;
    seq: number;
    time: Timestamp;
    componentId?: ComponentId;
    error: ErrorData;
    payment?: Payment;
    /** One that should not be: refund it. */
    secondPayment?: Payment;
    outcome: Open<"failed" | "cancelled" | "unknown">;
  };
  /** Events were dropped: read too slowly, or kept no longer. */
  "events.lost": {
    checkoutId: CheckoutId;
    from: number;
    to: number;
  };
  /** The daemon is about to stop. */
  "system.draining": {
    reason: string;
  };
  /** The daemon has restarted, and goes on where it was. */
  "system.resumed": Record<string, never>;
}
