#!/usr/bin/env python3
"""A Hands Off Detector that polls, as a process that listens at a port of this machine.

    polling.py right | slow | turns [--port N] [--unit-us N] [--cycle-ms N] [--seconds N] [--seed N]

A loop of 1700 ms looks whether the temperature is out of range, and qualifies an error at the second poll after the one
that noticed it. Where in its period the loop stands after a reset is chance (right), and so it is in a loop that takes
5 % longer, or as long as `--cycle-ms` says (slow); or the loop stands early in one execution and late in the next (turns). Resets do not make it forget
whose turn it is, nor does a connection that ends.

A millisecond takes `--unit-us` microseconds here. The process ends after `--seconds`, whatever happens. With port 0 the
machine chooses one, and the first line on standard error says which.
"""

import argparse
import os
import random
import sys
import threading

# Where the kit is: in the project, or where PYTHONPATH says.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python"))
import punctual  # noqa: E402

CYCLE_MS = 1700
CYCLES = 2


class Detector(punctual.Device):
    def __init__(self, behaviour, unit_us, slow_ms, seed=None):
        self.chance = random.Random(seed)
        self.behaviour = behaviour
        cycle_ms = slow_ms if behaviour == "slow" else CYCLE_MS
        self.cycle_ns = cycle_ms * unit_us * 1000
        self.n_resets = 0

    def phase(self):
        """Where the loop stands: 0 polls at once, 1 after a whole period."""
        if self.behaviour == "turns":
            return (0.25, 0.75)[self.n_resets % 2]
        return self.chance.random()

    def reset(self):
        self.is_out = False  # what the sensor says
        self.is_qualified = False
        self.n_same = 0  # polls that found the contrary of what is qualified
        self.qc = 0
        self.after(int(self.phase() * self.cycle_ns), self.first_poll)
        self.n_resets += 1

    def first_poll(self):
        self.every(self.cycle_ns, self.poll)
        self.poll()

    def poll(self):
        if self.is_out == self.is_qualified:
            self.n_same = 0
            return
        self.n_same += 1
        if self.n_same > CYCLES:
            self.is_qualified = self.is_out
            self.n_same = 0
            self.qc += self.is_qualified

    def input(self, name, values):
        self.is_out = name == "tempOutOfRange"

    def read(self, name):
        return {"isQualified": self.is_qualified, "qc": min(self.qc, 5)}[name]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("behaviour", choices=["right", "slow", "turns"])
    parser.add_argument("--port", type=int, default=7017)
    parser.add_argument("--unit-us", type=int, default=50)
    parser.add_argument("--cycle-ms", type=int, default=CYCLE_MS * 105 // 100)
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    end = threading.Timer(options.seconds, lambda: os._exit(0))
    end.daemon = True
    end.start()
    detector = Detector(options.behaviour, options.unit_us, options.cycle_ms, options.seed)
    punctual.serve_tcp(detector, "127.0.0.1", options.port, listen=True)


if __name__ == "__main__":
    main()
