#!/usr/bin/env python3
"""An oven: its door has an alarm, its heating is stepped, and both can be read.

    oven.py [--fault late | deaf | counter | hot]

With a fault, the alarm comes too late (late) or is not silenced (deaf), alarms are not counted (counter),
or the heating stays on while the door is open (hot).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../sdk/python"))
import punctual  # noqa: E402

MS = 1_000_000


class Oven(punctual.System):
    def __init__(self, fault=None):
        self.fault = fault
        self.inputs = {}

    def can(self):
        return ["set", "step", "read"]

    def reset(self):
        self.location = "Closed"
        self.alarms = 0
        self.due = None  # when what comes
        self.heating = False
        self.inputs = {"temperature": 0.0, "target": 0.0, "door": False}

    def input(self, at_ns, name, values):
        if name == "open" and self.location == "Closed":
            self.location = "Open"
            late = 5 if self.fault == "late" else 0
            self.due = (at_ns + (32 + late) * MS, "alarm")
        elif name == "close" and self.location == "Open":
            self.location = "Closed"
            self.due = None
        elif name == "close" and self.location == "Alarming":
            self.location = "Silencing"
            self.due = None if self.fault == "deaf" else (at_ns + 2 * MS, "silence")

    def advance(self, until_ns):
        if self.due is None or self.due[0] > until_ns:
            return None
        (at_ns, name), self.due = self.due, None
        if name == "alarm":
            self.location = "Alarming"
            if self.fault != "counter":
                self.alarms = (self.alarms + 1) % 101
            punctual.log("the alarm went off")
        else:
            self.location = "Closed"
        return at_ns, name, []

    def next_ns(self):
        return self.due[0] if self.due else None

    def read(self, at_ns, name):
        return {"alarms": self.alarms, "Door.location": self.location}.get(name)

    def set(self, at_ns, name, value):
        self.inputs[name] = value
        return True

    def step(self, at_ns):
        error = round(self.inputs["target"] - self.inputs["temperature"], 6)
        if self.inputs["door"] and self.fault != "hot":
            self.heating = False
        elif error >= 2:
            self.heating = True
        elif error <= 0:
            self.heating = False
        return {"heating": self.heating, "error": error}


if __name__ == "__main__":
    fault = sys.argv[2] if sys.argv[1:2] == ["--fault"] else None
    punctual.serve(Oven(fault))
