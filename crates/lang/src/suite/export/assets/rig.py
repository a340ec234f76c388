"""How the system is reached: an example to change.

It starts the program that RIG_COMMAND names and speaks lines of JSON with it on the real clock, as
`punctual test --clock real` does. A rig of your own has the same methods; `outputs` is only needed by cases that
expect outputs, `step` by those that take steps, and `now` makes windows as wide as inputs were late.
"""

import json
import os
import shlex
import subprocess
import threading
import time

COMMAND = os.environ.get("RIG_COMMAND", "")

HELLO = @HELLO@


class Rig:
    def __init__(self, command):
        if not command:
            raise RuntimeError("nothing says what to test: set RIG_COMMAND, or change rig.py")
        self.program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.changed = threading.Condition()
        self.answers = []
        self.came = []
        self.over = False
        self.resets = 0
        self.steps = 0
        self.start = time.monotonic()
        threading.Thread(target=self._listen, daemon=True).start()
        self._ask({"hello": HELLO}, "ready")

    def reset(self):
        """Starts the system anew. Instants count from when it is ready."""
        self.resets += 1
        self.steps = 0
        self._ask({"reset": self.resets}, "ready")

    def now(self):
        """Seconds since the last reset."""
        return time.monotonic() - self.start

    def wait_until(self, seconds):
        while True:
            left = seconds - self.now()
            if left <= 0:
                return
            time.sleep(left)

    def send(self, name, values):
        self._say({"input": name, "values": values, "at": self._at()})

    def read(self, ports):
        """The values of ports now, as a dictionary."""
        return self._ask({"read": ports, "at": self._at()}, "values")["values"]

    def step(self, inputs):
        """Sets input ports and takes a step. Returns the outputs."""
        self.steps += 1
        return self._ask({"step": self.steps, "set": inputs, "at": self._at()}, "stepped")["stepped"]

    def outputs(self):
        """What came since the last reset: instants, names and values."""
        with self.changed:
            return list(self.came)

    def close(self):
        try:
            self._say({"stop": "the case is over"})
            self.program.stdin.close()
            self.program.wait(timeout=2)
        except (OSError, subprocess.TimeoutExpired):
            self.program.kill()
            self.program.wait()

    def _at(self):
        return max(0, int(self.now() * 1e9))

    def _say(self, message):
        self.program.stdin.write(json.dumps(message) + "\n")
        self.program.stdin.flush()

    def _ask(self, message, answer, patience=10.0):
        self._say(message)
        with self.changed:
            known = lambda: self.over or any(answer in it or "error" in it for it in self.answers)
            if not self.changed.wait_for(known, patience):
                raise TimeoutError("the system did not answer %s" % json.dumps(message)[:80])
            found = [it for it in self.answers if answer in it or "error" in it]
            self.answers = [it for it in self.answers if it not in found]
        if not found:
            raise EOFError("the system ended")
        if "error" in found[0]:
            raise RuntimeError(found[0]["error"])
        return found[0]

    def _listen(self):
        for line in self.program.stdout:
            now = time.monotonic()
            message = json.loads(line)
            with self.changed:
                if "output" in message:
                    self.came.append((now - self.start, message["output"], message.get("values", [])))
                elif "log" not in message and "inputs" not in message:
                    if message.get("ready"):
                        # What came before belongs to the case before.
                        self.start, self.came = now, []
                    self.answers.append(message)
                self.changed.notify_all()
        with self.changed:
            self.over = True
            self.changed.notify_all()


def connect():
    return Rig(shlex.split(COMMAND))
