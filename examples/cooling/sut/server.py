#!/usr/bin/env python3
"""The parameter database of the device, over TCP.

Clients send lines and get lines; the last line of an answer starts with `ok` or `error`.

    list              all parameters: id, name, type, least, greatest, access, value
    read KEY          a value, by id or name
    write KEY VALUE   changes a value
    poll NUMBER       the changes after the first NUMBER ones: instant, id, value
    time              the time of the device, in nanoseconds, and the number of changes so far
    time UNTIL        the same, after time has passed to an instant or to the first change;
                      only on the virtual clock
    clock             real or virtual
    reset [SEED]      power off and on, at instant 0
    quit              ends the connection

On the real clock the device runs in a thread of its own. On the virtual one its time passes only
when a client says so.
"""

import argparse
import os
import socketserver
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from device import SECOND, Device, Refused


class Plant:
    """A device on a clock, and the lock that clients and clock share."""

    def __init__(self, device, virtual, unit_ms=1000):
        self.device = device
        self.virtual = virtual
        # How many nanoseconds of the device pass in one of the machine.
        self.speed = 1000 / unit_ms
        self.changed = threading.Condition()
        self.start = time.monotonic_ns()
        self.ended = False
        if not virtual:
            threading.Thread(target=self.run, daemon=True).start()

    def now(self):
        """The time of the device on the real clock."""
        return int((time.monotonic_ns() - self.start) * self.speed)

    def run(self):
        """The thread of the device."""
        with self.changed:
            while not self.ended:
                self.device.advance(self.now())
                due = self.device.next_due()[0]
                self.changed.wait(max(0.0, (due - self.now()) / self.speed / SECOND))

    def catch_up(self):
        """What a client reads or writes, it does now."""
        if not self.virtual:
            self.device.advance(self.now())

    def reset(self, seed):
        """Power off and on."""
        if seed is not None:
            self.device.seed = seed
        self.device.reset()
        self.start = time.monotonic_ns()

    def answer(self, words):
        """The lines that answer a command."""
        with self.changed:
            self.catch_up()
            try:
                lines = list(self.command(*words))
            except Refused as error:
                return [f"error {error}"]
            except (TypeError, ValueError):
                return ["error not understood"]
            self.changed.notify_all()
            return lines

    def command(self, name, *arguments):
        """Looks a command up. Too few or too many arguments are a TypeError."""
        known = {
            "list": self.list, "read": self.read, "write": self.write, "poll": self.poll,
            "time": self.time, "clock": self.clock, "reset": self.restart,
        }
        if name not in known:
            raise Refused(f"there is no command {name}")
        return known[name](*arguments)

    def list(self):
        rows = self.device.parameters.rows.values()
        values = self.device.parameters.values
        yield from (" ".join(map(str, (*row[:6], values[row[0]]))) for row in rows)
        yield f"ok {len(rows)}"

    def read(self, key):
        number = self.device.parameters.find(key)
        yield f"ok {self.device.parameters.values[number]}"

    def write(self, key, value):
        self.device.write(self.device.parameters.find(key), value)
        yield "ok"

    def poll(self, number):
        number = int(number)
        changes = self.device.parameters.changes
        if not 0 <= number <= len(changes):
            raise Refused(f"there are {len(changes)} changes")
        yield from (f"{now} {key} {value}" for now, key, value in changes[number:])
        yield f"ok {len(changes)}"

    def time(self, until=None):
        if until is not None:
            if not self.virtual:
                raise Refused("time passes by itself here")
            if int(until) < self.device.now:
                raise Refused(f"it is {self.device.now} already")
            self.device.advance(int(until), stop_at_change=True)
        yield f"ok {self.device.now} {len(self.device.parameters.changes)}"

    def clock(self):
        yield "ok virtual" if self.virtual else "ok real"

    def restart(self, seed=None):
        self.reset(None if seed is None else int(seed))
        yield "ok"


class Client(socketserver.StreamRequestHandler):
    """One connection."""

    disable_nagle_algorithm = True

    def handle(self):
        for line in self.rfile:
            words = line.decode(errors="replace").split()
            if words == ["quit"]:
                return
            lines = self.server.plant.answer(words) if words else ["error an empty line"]
            self.wfile.write(("\n".join(lines) + "\n").encode())


class Server(socketserver.ThreadingTCPServer):
    """Any number of clients of one device."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, plant, host="127.0.0.1", port=0):
        super().__init__((host, port), Client)
        self.plant = plant
        self.port = self.server_address[1]


def options():
    """What the device can be told, here and by the adapter."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--seed", type=int, default=0, help="where the delays of relays come from")
    parser.add_argument("--timer-resolution", type=int, default=0, metavar="S", choices=range(0, 61),
                        help="a fault: the defrost timer ticks only every S seconds")
    return parser


def main():
    parser = argparse.ArgumentParser(description="The parameter database of a cooling controller.",
                                     parents=[options()])
    parser.add_argument("--port", type=int, default=0, help="default: any that is free")
    parser.add_argument("--unit-ms", type=float, default=1000, metavar="MS",
                        help="how long a second of the device takes on the real clock (default: 1000)")
    parser.add_argument("--clock", choices=["real", "virtual"], default="real")
    arguments = parser.parse_args()
    if arguments.unit_ms <= 0:
        parser.error("--unit-ms must be more than 0")
    device = Device(arguments.seed, arguments.timer_resolution)
    plant = Plant(device, arguments.clock == "virtual", arguments.unit_ms)
    with Server(plant, port=arguments.port) as server:
        print(f"port {server.port}", flush=True)
        try:
            server.serve_forever(poll_interval=60)
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main()
