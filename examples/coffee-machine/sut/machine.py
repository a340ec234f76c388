#!/usr/bin/env python3
"""The coffee machine I(DS, DW) of the T-UPPAAL paper, section 2.3.

    machine.py DS DW                    on stdin and stdout
    machine.py DS DW connect HOST PORT  over TCP
    machine.py DS DW listen PORT        over TCP, until it is killed

Asked up to 40 time units after the coin it makes weak coffee, later strong coffee; weak coffee
takes DW time units, strong coffee DS. What means nothing at the moment is swallowed.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python"))
import punctual  # noqa: E402

UNIT_NS = 1_000_000  # one time unit is a millisecond


class Machine(punctual.System):
    def __init__(self, strong, weak):
        self.strong_ns = strong * UNIT_NS
        self.weak_ns = weak * UNIT_NS

    def reset(self):
        self.paid_ns = None  # when the coin came
        self.cup = None  # when which coffee comes

    def input(self, at_ns, name, values):
        if name == "coin" and self.paid_ns is None and self.cup is None:
            self.paid_ns = at_ns
        elif name == "req" and self.paid_ns is not None:
            if (at_ns - self.paid_ns) // UNIT_NS <= 40:
                self.cup = (at_ns + self.weak_ns, "weakCoffee")
            else:
                self.cup = (at_ns + self.strong_ns, "strongCoffee")
            self.paid_ns = None

    def advance(self, until_ns):
        if self.cup is None or self.cup[0] > until_ns:
            return None
        (at_ns, name), self.cup = self.cup, None
        return at_ns, name, []

    def next_ns(self):
        return self.cup[0] if self.cup else None


def main(arguments):
    machine = Machine(int(arguments[0]), int(arguments[1]))
    if arguments[2:3] == ["connect"]:
        punctual.serve_tcp(machine, arguments[3], int(arguments[4]))
    elif arguments[2:3] == ["listen"]:
        punctual.serve_tcp(machine, "127.0.0.1", int(arguments[3]), listen=True)
    else:
        punctual.serve(machine)


if __name__ == "__main__":
    main(sys.argv[1:])
