#!/usr/bin/env python3
"""A pacemaker that is late by a little: reads the inputs of a step, answers with its outputs."""

import json
import sys

last = None
for line in sys.stdin:
    step = json.loads(line)
    now = step["timeIn"]
    pace = False
    if last is None or step["sense"]:
        last = now
    elif now - last > 60:
        pace = True
        now += 2  # computing takes its time
        last = now
    print(json.dumps({"pace": pace, "timeOut": now}), flush=True)
