"""The oracle: random schedules of clients, kills and faults, judged by an upstream that knows what money has moved.

A schedule runs one daemon on one state directory. Clients call everything while the daemon is killed, stopped and
started again, sometimes two at once, and while upstream fails before and after the effect of a call. At every restart
what was promised must be there; at the end every outcome must agree with what upstream knows. Some then go back to an
older copy of the directory: no client session may pay once more.

`python3 -m oracle 1 121` runs the seeds from 1 up to 120. A seed fixes the script, not the threads' timing: one that
has failed may have to be run a few times.
"""
