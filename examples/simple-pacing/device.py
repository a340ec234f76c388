#!/usr/bin/env python3
"""A pacemaker that is late by a little: takes steps with the inputs that its tester sets."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../sdk/python"))
import punctual  # noqa: E402


class Pacemaker(punctual.Stepwise):
    inputs = {"sense": False, "timeIn": 0}

    def reset(self):
        self.last = None  # when the heart beat or was paced

    def step(self, inputs):
        now = inputs["timeIn"]
        pace = False
        if self.last is None or inputs["sense"]:
            self.last = now
        elif now - self.last > 60:
            pace = True
            now += 2  # computing takes its time
            self.last = now
        return {"pace": pace, "timeOut": now}


if __name__ == "__main__":
    punctual.serve(Pacemaker())
