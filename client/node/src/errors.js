/** What can go wrong. */

/** The base of all errors of this package. */
export class CheckoutdError extends Error {
  get name() {
    return this.constructor.name;
  }
}

/** The daemon answered a call with an error: switch on `code` and `errorId`. */
export class CallError extends CheckoutdError {
  constructor(code, summary, data) {
    const path = data.path === undefined ? "" : ` (${data.path})`;
    const said = `${data.errorId ?? ""} (${code}): ${data.description ?? summary}${path}`;
    super([said, ...(data.validationErrors ?? []).map(inWords)].join("; "));
    this.code = code;
    this.data = data;
  }

  /** What happened, in a word, as in `unknown-checkout`. */
  get errorId() {
    return this.data.errorId ?? "";
  }
}

const inWords = ({ field, description }) => (field === undefined ? description : `${field}: ${description}`);

/** The daemon could not be reached, so the call was not made. */
export class Unreachable extends CheckoutdError {}

/** The connection ended before the reply came: whether the call took effect is for the snapshot to tell. */
export class ConnectionLost extends CheckoutdError {}

/** What was waited for did not come in time. */
export class TimedOut extends CheckoutdError {}

/** What came is not what the daemon says. */
export class ProtocolError extends CheckoutdError {}
