#!/usr/bin/env python3
"""Sends what clients sent to a running daemon, changed at random, and sees that the daemon keeps its promises.

`transcripts/` has what clients of the tests sent, with names in braces where the daemon's own answers belong.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sys
import time
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]

# Found by the path above.
from mutation import Mutation  # noqa: E402
from replay import Replay  # noqa: E402

from support.daemon import Daemon  # noqa: E402
from support.sandbox import Sandbox  # noqa: E402

_TRANSCRIPTS = Path(__file__).resolve().parent / "transcripts"
# Nothing may be left waiting or kept for long: thousands of checkouts are started.
_OPTIONS = [
    *("--retention", "2000", "--outcome-retention", "4000", "--checkout-span", "5000", "--poll-span", "3000"),
    *("--max-checkouts-per-uid", "20000", "--max-line", "65536", "--create-payment-timeout", "1000"),
]


def main() -> int:
    """Runs for as long as asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--keep", type=Path, default=Path(), help="directory for what makes the daemon fail")
    options = parser.parse_args()

    transcripts = [path.read_text().splitlines() for path in sorted(_TRANSCRIPTS.glob("*.jsonl"))]
    print(f"seed: {options.seed}", flush=True)
    mutation = Mutation(random.Random(options.seed), transcripts)
    with contextlib.ExitStack() as stack:
        sandbox = Sandbox()
        stack.callback(sandbox.close)
        daemon = Daemon(sandbox.port, _OPTIONS)
        stack.callback(daemon.close)
        replay = Replay(daemon, sandbox, mutation)
        try:
            deadline = time.monotonic() + options.seconds
            while time.monotonic() < deadline:
                replay.play()
            replay.finish()
            assert daemon.terminate() == 0, f"the daemon did not end well: {daemon.log[-4000:]}"
            daemon.check()
        except BaseException:
            kept = options.keep / f"transcripts-crash-{options.seed}"
            kept.write_bytes(b"\n".join(replay.recent))
            print(f"Test unit written to {kept}\n{daemon.log[-4000:]}", flush=True)
            raise
        finally:
            print(f"connections: {replay.connections}\nreplies: {replay.replies}\nexecutions: {replay.lines}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
