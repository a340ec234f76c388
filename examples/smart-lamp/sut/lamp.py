#!/usr/bin/env python3
"""A touch lamp with a dimmer, as an adapter that speaks the socket protocol of UPPAAL TRON.

A short touch switches the lamp on or off. Whoever holds it longer makes it brighter or darker, step
by step, for as long as that lasts. `Lamp` is the lamp; `Tester` is the connection to the tester; clocks
are at the end: the machine's, and a virtual one that the tester keeps.
"""

import argparse
import collections
import socket
import struct
import sys
import threading
import time

MAX = 10

# All times in milliseconds. A touch or hold is recognised a little after the least time, so that
# it is in the middle of what the models allow.
TOUCH = 22
HOLD = 52
STEP = 102

MUTANTS = {
    0: "no fault",
    1: "a hold is recognised 30 ms too late",
    2: "the brightest level is followed by the darkest, not by the one before it",
    3: "switched on by a touch, the lamp does not remember its level and is as bright as it can be",
    4: "each step takes 125 ms",
    5: "a hold goes on for one more step after the release",
}


class Lamp:
    """What the lamp does. It is told when it is touched and let go, and says when it wants to be
    woken (`due`); levels that it shows are left in `shown`."""

    def __init__(self, mutant=0):
        self.mutant = mutant
        self.level = 0
        self.saved = 0
        self.on = False
        self.brighter = True  # whether this hold, or the next one, makes it brighter
        self.held = False
        self.since = None  # when it was grasped
        self.due = None
        self.ends = False  # whether the next step is the last
        self.shown = []

    def grasp(self, now):
        """A finger comes."""
        if self.since is None:
            self.since = now
            self.due = now + HOLD + (30 if self.mutant == 1 else 0)

    def release(self, now):
        """The finger goes."""
        if self.since is None:
            return
        if self.held:
            if self.mutant == 5:
                self.ends = True
                return
            self.brighter = not self.brighter
        elif now - self.since >= TOUCH:
            self.toggle()
        self.rest()

    def rest(self):
        self.held, self.since, self.due, self.ends = False, None, None, False

    def toggle(self):
        """On at the level of before, or off."""
        self.on = not self.on
        if self.on:
            self.level = MAX if self.mutant == 3 else self.saved
        else:
            self.saved, self.level = self.level, 0
        self.shown.append(self.level)

    def wake(self, now):
        """To be called when `due` has come."""
        if self.held:
            self.step()
        else:
            self.held = self.on = True
            if self.brighter:
                self.level = self.saved
                self.shown.append(self.level)
            else:
                self.saved = self.level
        # Counted from when it was due, so that small delays do not add up.
        self.due += 125 if self.mutant == 4 else STEP
        if self.ends:
            self.brighter = not self.brighter
            self.rest()

    def step(self):
        """One level up or down; at the end the other way."""
        if self.mutant == 2 and self.brighter and self.level == MAX:
            self.level = 0
        else:
            if self.level == (MAX if self.brighter else 0):
                self.brighter = not self.brighter
            self.level += 1 if self.brighter else -1
        self.shown.append(self.level)


class Refused(Exception):
    """The tester does not want what it was asked for."""


ACKNOWLEDGED = 0x80000000


class Tester:
    """The connection to the tester, seen from an adapter."""

    GET_INPUT, GET_OUTPUT, ADD_TO_INPUT, ADD_TO_OUTPUT, SET_UNIT, SET_TIMEOUT = range(1, 7)
    START, ERROR_TEXT = 0x40, 0x7F

    def __init__(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection

    def read(self, n_bytes):
        """So many bytes; EOFError if the tester has gone."""
        data = b""
        while len(data) < n_bytes:
            try:
                piece = self.connection.recv(n_bytes - len(data))
            except OSError:
                piece = b""
            if not piece:
                raise EOFError
            data += piece
        return data

    def read_int(self):
        return struct.unpack(">i", self.read(4))[0]

    def ask(self, code, *parts):
        """A request of the configuration, and its answer."""
        self.connection.sendall(bytes([code]) + b"".join(parts))
        answer = self.read_int()
        if answer < 0 or (answer == 0 and code in (self.GET_INPUT, self.GET_OUTPUT)):
            self.connection.sendall(bytes([self.ERROR_TEXT]) + struct.pack(">i", answer))
            raise Refused(self.read(self.read(1)[0]).decode(errors="replace"))
        return answer

    @staticmethod
    def name(text):
        data = text.encode()
        return bytes([len(data)]) + data

    def configure(self, inputs, outputs, unit_us, timeout):
        """Names channels with their variables, the time unit and the time-out; the numbers of the
        channels."""
        numbers = {}
        for channels, get, add in (
            (inputs, self.GET_INPUT, self.ADD_TO_INPUT),
            (outputs, self.GET_OUTPUT, self.ADD_TO_OUTPUT),
        ):
            for channel, variables in channels.items():
                number = numbers[channel] = self.ask(get, self.name(channel))
                for variable in variables:
                    self.ask(add, struct.pack(">i", number), self.name(variable))
        self.ask(self.SET_UNIT, struct.pack(">q", unit_us))
        self.ask(self.SET_TIMEOUT, struct.pack(">i", timeout))
        return numbers

    def start(self):
        """Asks for the start, and waits for it."""
        self.connection.sendall(bytes([self.START]))
        n_bytes = self.read(1)[0]
        if n_bytes:
            raise Refused(self.read(n_bytes).decode(errors="replace"))

    def read_event(self):
        """The next event, as channel and values; or the number of events of ours that the tester
        acknowledges, and None."""
        number = self.read_int() & 0xFFFFFFFF
        if number & ACKNOWLEDGED:
            return number - ACKNOWLEDGED, None
        n_values = struct.unpack(">H", self.read(2))[0]
        return number, struct.unpack(f">{n_values}i", self.read(4 * n_values))

    def send_event(self, number, values):
        self.connection.sendall(struct.pack(f">iH{len(values)}i", number, len(values), *values))

    def acknowledge(self):
        self.connection.sendall(struct.pack(">I", ACKNOWLEDGED | 1))

    def close(self):
        """Also ends a read that goes on in another thread."""
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.connection.close()


class Run:
    """A lamp and a tester, from the configuration to the end of the connection.

    One thread reads what the tester says, another one is the lamp. They share a queue of events,
    guarded by the clock: whoever waits, waits there.
    """

    def __init__(self, connection, clock, mutant, variable, timeout):
        self.tester = Tester(connection)
        self.clock = clock
        self.lamp = Lamp(mutant)
        self.variable = variable
        self.timeout = timeout
        self.events = collections.deque()
        self.acknowledged = threading.Semaphore(0)
        self.reads = threading.Event()
        self.started = threading.Event()
        self.ended = False

    def play(self):
        """Returns when the tester has gone."""
        reader = threading.Thread(target=self.listen, daemon=True)
        try:
            with self.clock.thread("lamp") as me:
                self.numbers = self.tester.configure(
                    {"grasp": [], "release": []}, {"level": [self.variable]}, 1000, self.timeout)
                reader.start()
                self.reads.wait()
                self.tester.start()
                self.started.set()
                try:
                    self.live(me)
                except (EOFError, OSError):
                    pass
        finally:
            self.started.set()
            self.tester.close()
            if reader.is_alive():
                reader.join()

    def listen(self):
        """The thread that reads."""
        names = {self.numbers["grasp"]: "grasp", self.numbers["release"]: "release"}
        with self.clock.thread("reader") as me:
            # What waits for the tester must not keep time from passing.
            me.deactivate()
            self.reads.set()
            self.started.wait()
            try:
                while True:
                    number, values = self.tester.read_event()
                    if values is None:
                        for _ in range(number):
                            self.acknowledged.release()
                        continue
                    me.activate()
                    with me.locked():
                        self.events.append(names.get(number))
                        me.notify()
                    me.deactivate()
                    if self.clock.virtual:
                        self.tester.acknowledge()
            except (EOFError, OSError):
                self.end(me)

    def end(self, me):
        self.ended = True
        self.acknowledged.release()
        try:
            with me.locked():
                me.notify()
        except (EOFError, OSError):
            pass

    def live(self, me):
        """The thread of the lamp."""
        lamp = self.lamp
        while not self.ended:
            with me.locked():
                now = me.now()
                # Who comes when a step is due comes after it.
                if lamp.due is not None and now >= lamp.due:
                    lamp.wake(now)
                elif self.events:
                    event = self.events.popleft()
                    if event == "grasp":
                        lamp.grasp(now)
                    elif event == "release":
                        lamp.release(now)
                elif not self.ended:
                    me.wait(lamp.due)
            for level in lamp.shown:
                self.tester.send_event(self.numbers["level"], [level])
                if self.clock.virtual:
                    # Time stands still until the tester has heard of it.
                    self.acknowledged.acquire()
            lamp.shown.clear()


class RealClock:
    """The machine's clock, and a condition variable of its threads."""

    virtual = False

    def __init__(self):
        self.condition = threading.Condition()

    def thread(self, _name):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def activate(self):
        pass

    def deactivate(self):
        pass

    def locked(self):
        return self.condition

    def notify(self):
        self.condition.notify_all()

    def now(self):
        """Milliseconds since some start."""
        return time.monotonic() * 1000

    def wait(self, due):
        """Until somebody notifies, or until an instant."""
        self.condition.wait(None if due is None else max(0.0, (due - self.now()) / 1000))


class VirtualClock:
    """The clock service of a tester: time passes when all threads that are active wait."""

    virtual = True

    def __init__(self, host, port):
        self.address = (host, port)
        self.shared = None

    def thread(self, name):
        return VirtualThread(self, name)


class VirtualThread:
    """One thread of a program on a virtual clock, with a connection of its own."""

    (DEACTIVATE, ACTIVATE, MUTEX_INIT, _, LOCK, UNLOCK, COND_INIT, _, WAIT, WAIT_UNTIL, _, SIGNAL, _,
     TIME) = range(1, 15)
    QUIT = 127
    OK, TIMED_OUT = 0, 65

    def __init__(self, clock, name):
        self.connection = socket.create_connection(clock.address)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection.sendall(Tester.name(name))
        self.stream = self.connection.makefile("rb")
        if clock.shared is None:
            clock.shared = self.ask(self.MUTEX_INIT), self.ask(self.COND_INIT)
        self.mutex, self.condition = clock.shared

    def send(self, *numbers):
        self.connection.sendall(struct.pack(f">{len(numbers)}i", *numbers))

    def ask(self, *numbers, replies=1):
        self.send(*numbers)
        data = self.stream.read(4 * replies)
        if len(data) < 4 * replies:
            raise EOFError
        answer = struct.unpack(f">{replies}i", data)
        return answer[0] if replies == 1 else answer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send(self.QUIT)
        except OSError:
            pass
        self.stream.close()
        self.connection.close()

    def activate(self):
        self.ask(self.ACTIVATE)

    def deactivate(self):
        self.ask(self.DEACTIVATE)

    def locked(self):
        return VirtualLock(self)

    def notify(self):
        self.send(self.SIGNAL, self.condition)

    def now(self):
        """Milliseconds since the clock was made."""
        seconds, microseconds = self.ask(self.TIME, replies=2)
        return seconds * 1000 + microseconds / 1000

    def wait(self, due):
        """Until somebody notifies, or until an instant."""
        if due is None:
            self.ask(self.WAIT, self.condition, self.mutex)
        else:
            seconds, microseconds = divmod(round(due * 1000), 1_000_000)
            self.ask(self.WAIT_UNTIL, self.condition, self.mutex, seconds, microseconds)


class VirtualLock:
    """The mutex, in a `with`."""

    def __init__(self, thread):
        self.thread = thread

    def __enter__(self):
        self.thread.ask(VirtualThread.LOCK, self.thread.mutex)

    def __exit__(self, kind, *_):
        if kind is None or not issubclass(kind, (EOFError, OSError)):
            self.thread.ask(VirtualThread.UNLOCK, self.thread.mutex)


def address(text):
    """HOST:PORT, or PORT on this machine."""
    host, _, port = text.rpartition(":")
    return host or "127.0.0.1", int(port)


def connections(arguments):
    """One connection to a tester, or one after the other."""
    if arguments.connect:
        while True:
            yield connect_patiently(arguments.connect)
            if not arguments.forever:
                return
    with socket.create_server(arguments.listen) as server:
        print(f"listening on port {server.getsockname()[1]}", file=sys.stderr, flush=True)
        while True:
            yield server.accept()[0]
            if not arguments.forever:
                return


def connect_patiently(tester, tries=100):
    """The tester may still be on its way: ten seconds of patience."""
    while True:
        try:
            return socket.create_connection(tester)
        except ConnectionRefusedError:
            tries -= 1
            if not tries:
                raise
            time.sleep(0.1)


def main():
    faults = "; ".join(f"{number}: {text}" for number, text in MUTANTS.items())
    parser = argparse.ArgumentParser(
        description="A touch lamp that speaks the socket protocol of UPPAAL TRON.")
    side = parser.add_mutually_exclusive_group(required=True)
    side.add_argument("--connect", type=address, metavar="[HOST:]PORT", help="a tester that listens")
    side.add_argument("--listen", type=address, metavar="[HOST:]PORT", help="waits for a tester there")
    parser.add_argument("--forever", action="store_true", help="serves one tester after the other")
    parser.add_argument("--virtual", type=address, metavar="[HOST:]PORT",
                        help="lives by the clock service there instead of the machine's clock")
    parser.add_argument("--mutant", type=int, choices=MUTANTS, default=0, metavar="N", help=faults)
    parser.add_argument("--variable", default="brightness",
                        help="the variable of the model that goes with level (default: brightness; "
                        "adapLevel in the model that comes with TRON)")
    parser.add_argument("--timeout", type=int, default=10_000, metavar="MS",
                        help="how long the test is to be (default: 10000)")
    arguments = parser.parse_args()
    try:
        for connection in connections(arguments):
            clock = VirtualClock(*arguments.virtual) if arguments.virtual else RealClock()
            Run(connection, clock, arguments.mutant, arguments.variable, arguments.timeout).play()
    except KeyboardInterrupt:
        pass
    except (EOFError, OSError, Refused) as error:
        print(f"error: {error or 'the tester has gone'}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
