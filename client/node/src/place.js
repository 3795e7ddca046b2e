/** Where the daemon listens. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";

/** `$CHECKOUTD_SOCKET`; else the user's own daemon, for users other than root, if it is there; else the system's. */
export function defaultSocket(environment = process.env, isRoot = process.geteuid() === 0) {
  if (environment.CHECKOUTD_SOCKET) return environment.CHECKOUTD_SOCKET;
  if (!isRoot && environment.XDG_RUNTIME_DIR) {
    const own = join(environment.XDG_RUNTIME_DIR, "checkoutd", "checkoutd.sock");
    if (existsSync(own)) return own;
  }
  return "/run/checkoutd/checkoutd.sock";
}
