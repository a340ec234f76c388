"""What a system under test that is written in Python needs: Punctual's protocol, in one file.

Derive from one of these, then call `serve` (stdin and stdout) or `serve_tcp`:

- `System`, a simulation: the tester says how far time goes. Both clocks work: on the virtual one
  nobody sleeps, on the real one outputs are sent when they are due.
- `Stepwise`, a synchronous system: it takes steps with all its inputs and outputs. Both clocks work.
- `Device`, a program that lives on the machine's clock by itself, with threads and timers. Real clock.

While a tester is served on stdin and stdout, what is printed goes to stderr. Versions 1 and 2 of the
protocol are spoken, as the tester likes.

Needs Python 3.8 or newer, and only its standard library. Instants are integers, in nanoseconds since
the last reset. Values are `bool`, `int`, `float`, `fractions.Fraction` (a real number that has no short
decimal) and `str` (a member of an enumeration). `decimal.Decimal` and `enum.Enum` can be sent, too.
"""

import collections
import contextlib
import decimal
import enum
import fractions
import heapq
import itertools
import json
import math
import os
import queue
import socket
import sys
import threading
import time

PROTOCOLS = (1, 2)

# How often a system is asked that does not know when something happens.
_POLL_NS = 500_000

_as_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode

# A step that a system took by itself, as a result of `System.advance`: two dictionaries of ports.
Stepped = collections.namedtuple("Stepped", ("at_ns", "outputs", "inputs"))


class ProtocolError(Exception):
    """The tester broke the rules of the protocol, for example by naming a port that there is not. The
    tester is told."""


class Failure(Exception):
    """The system can not go on. The tester is told why."""


class _Served:
    _service = None

    def can(self):
        """What the system can do: a list of `step`, `set` and `read`. It is what was overridden."""
        own = type(self)
        kind = next(kind for kind in (System, Device) if isinstance(self, kind))
        return [name for name in ("step", "set", "read") if getattr(own, name) is not getattr(kind, name)]

    def hello(self, hello):
        """What the tester says first: `clock`, `unit_ns`, `inputs`, `outputs`, `ports`."""

    def log(self, text):
        """Says something for the record of the run."""
        service = self._service
        if service is None:
            log(text)
        else:
            service.log(text)


class System(_Served):
    """A simulation: a system to which the tester says how far time goes."""

    def reset(self):
        """Starts anew, at instant 0."""
        raise NotImplementedError

    def input(self, at_ns, name, values):
        """Takes an input. What comes of it at the same instant is for the next `advance`."""
        raise NotImplementedError

    def advance(self, until_ns):
        """Lets time pass to `until_ns` at most. Returns the first output on the way, as a tuple
        `(at_ns, name, values)`, or a `Stepped`, or None. Time then stands at that output."""
        raise NotImplementedError

    def next_ns(self):
        """An instant before which nothing happens unless an input comes, None if nothing ever
        does, 0 if not known. Only the real clock asks."""
        return 0

    def set(self, at_ns, name, value):
        """Sets an input port, which the next step sees."""
        raise ProtocolError("there is no input port `%s`" % name)

    def step(self, at_ns):
        """Takes a step. Returns the outputs as a dictionary."""
        raise ProtocolError("this system takes no steps")

    def read(self, at_ns, name):
        """The value of a variable now."""
        raise ProtocolError("`%s` can not be read" % name)


class Stepwise:
    """A synchronous system: it reads all its inputs and writes all its outputs in steps."""

    # The input ports, with the values that they have until they are set.
    inputs = {}

    # When the current step, or the last one, was taken.
    at_ns = 0

    def hello(self, hello):
        """What the tester says first: `clock`, `unit_ns`, `inputs`, `outputs`, `ports`."""

    def reset(self):
        """Starts anew: the next step is the first one."""

    def step(self, inputs):
        """Takes a step. An input that was not set since the last step has the value that it had then.
        Returns the outputs as a dictionary."""
        raise NotImplementedError

    def read(self, name):
        """The value of a variable beside inputs and outputs, which are known already."""
        raise ProtocolError("`%s` can not be read" % name)

    def log(self, text):
        """Says something for the record of the run."""
        self._log(text)

    @staticmethod
    def _log(text):
        log(text)


class Device(_Served):
    """A program that lives on the machine's clock by itself.

    What is overridden here, and what timers call, is called by one thread, the one that serves. `emit`,
    `log`, `stepped`, `after` and `every` are for any thread. What is emitted while `reset` runs
    belongs to the run before and is left out, unless `reset` itself emits it: that is sent after the
    tester was told that the device is ready. Timers end with a reset; a device that has threads of
    its own ends those of the run before in its `reset`.
    """

    def reset(self):
        """Starts anew. Time is 0 until this returns."""
        raise NotImplementedError

    def input(self, name, values):
        """Takes an input."""
        raise ProtocolError("there is no input signal `%s`" % name)

    def set(self, name, value):
        """Sets an input port."""
        raise ProtocolError("there is no input port `%s`" % name)

    def step(self):
        """Takes a step that the tester asked for. Returns the outputs as a dictionary."""
        raise ProtocolError("this device takes no steps when it is told to")

    def read(self, name):
        """The value of a variable now."""
        raise ProtocolError("`%s` can not be read" % name)

    def now_ns(self):
        """Nanoseconds since the last reset."""
        service = self._service
        return service.now_ns() if service else 0

    def emit(self, name, values=()):
        """Sends an output, with the present as its time stamp."""
        self._emit(lambda encode: {"output": name, "values": encode.values(name, values)})

    def stepped(self, outputs, inputs):
        """Tells of a step that the device took by itself, with the inputs as it saw them."""
        self._emit(lambda encode: {"stepped": encode.ports(outputs), "inputs": encode.ports(inputs)})

    def _emit(self, make):
        # Without a tester there is nobody to tell.
        service = self._service
        if service:
            service.emit(make)

    def fail(self, text):
        """Tells the tester that the device can not go on; then the service ends."""
        service = self._service
        if service:
            service.fail(Failure(text))

    def after(self, delay_ns, callback):
        """Calls something once, `delay_ns` from now. Returns a timer, which has `cancel()`."""
        return self._start_timer(delay_ns, None, callback)

    def every(self, period_ns, callback):
        """Calls something `period_ns` from now and then again after each period, without drift.
        Instants that are over when their turn comes are left out. Returns a timer, which has `cancel()`."""
        if period_ns <= 0:
            raise ValueError("the period of a timer must be positive")
        return self._start_timer(period_ns, period_ns, callback)

    def _start_timer(self, delay_ns, period_ns, callback):
        service = self._service
        timer = _Timer(delay_ns, period_ns, callback)
        if service:
            service.start_timer(timer)
        return timer


class _Steps(System):
    """A `Stepwise` as a `System`."""

    def __init__(self, stepwise):
        self.stepwise = stepwise
        stepwise._log = self.log

    def hello(self, hello):
        self.stepwise.hello(hello)

    def reset(self):
        self.inputs = dict(self.stepwise.inputs)
        self.outputs = {}
        self.stepwise.at_ns = 0
        self.stepwise.reset()

    def input(self, at_ns, name, values):
        raise ProtocolError("there is no input signal `%s`" % name)

    def advance(self, until_ns):
        return None

    def next_ns(self):
        return None

    def set(self, at_ns, name, value):
        if name not in self.inputs:
            raise ProtocolError("there is no input port `%s`" % name)
        self.inputs[name] = value

    def step(self, at_ns):
        self.stepwise.at_ns = at_ns
        self.outputs = self.stepwise.step(dict(self.inputs))
        return self.outputs

    def read(self, at_ns, name):
        for ports in (self.outputs, self.inputs):
            if name in ports:
                return ports[name]
        return self.stepwise.read(name)


class _Closed(Exception):
    pass


class _Wire:
    """Lines over something that bytes are read from and written to."""

    def __init__(self, read, write):
        self._read = read
        self._write = write
        self._lines = collections.deque()
        self._rest = b""
        self._lock = threading.Lock()

    def send(self, message):
        line = _as_json(message) + "\n"
        with self._lock:
            self._write(line.encode())

    def line(self):
        """The next line; nothing if the tester is gone."""
        while not self._lines:
            data = self._read(65536)
            if not data:
                rest, self._rest = self._rest, b""
                return rest
            *lines, self._rest = (self._rest + data).split(b"\n")
            self._lines.extend(line + b"\n" for line in lines)
        return self._lines.popleft()

    def hand_on(self, events):
        """Puts lines into a queue from a thread of its own, which ends with the connection or the
        program."""

        def run():
            line = None
            while line != b"":
                try:
                    line = self.line()
                except (OSError, ValueError):
                    line = b""
                events.put(line)

        threading.Thread(target=run, daemon=True).start()


class _Values:
    """Values between Python and JSON, as the version of the protocol and the types of hello say."""

    def __init__(self, version, hello):
        self.version = version
        self.types = {}
        for signal in hello.get("inputs") or ():
            for i, kind in enumerate(signal.get("types") or ()):
                self.types[signal.get("name"), i] = kind.get("type")
        for port in hello.get("ports") or ():
            self.types[port.get("name")] = (port.get("type") or {}).get("type")

    def value(self, name, value):
        if isinstance(value, enum.Enum):
            value = value.name
        if self.version == 1:
            if isinstance(value, (bool, int, float, fractions.Fraction)) and value == value // 1:
                if _is_int32(int(value)):
                    return int(value)
            raise Failure(
                "`%s` has the value %s, and version 1 of the protocol has only integers of 32 bits" % (name, value)
            )
        if isinstance(value, (bool, int, str)):
            return value
        if isinstance(value, float) and math.isfinite(value):
            return value
        if isinstance(value, fractions.Fraction) or isinstance(value, decimal.Decimal) and value.is_finite():
            return str(value)
        raise Failure("`%s` has the value %r, which can not be sent" % (name, value))

    def values(self, name, values):
        return [self.value(name, value) for value in values]

    def ports(self, ports):
        return {name: self.value(name, value) for name, value in ports.items()}

    def decoded(self, what, key, value):
        if isinstance(value, str) and self.types.get(key) == "real":
            try:
                return fractions.Fraction(value)
            except (ValueError, ZeroDivisionError):
                raise ProtocolError("`%s` must be a number, not %r" % (what, value))
        if isinstance(value, (bool, int, float, str)):
            return value
        raise _wrong(what, "a number, a truth value or a text", value)


def _wrong(what, expected, found):
    return ProtocolError("`%s` must be %s, not %s" % (what, expected, json.dumps(found)[:100]))


class _Service:
    """What simulations and devices have in common: the messages of the tester."""

    def __init__(self, system, wire):
        self.system = system
        self.wire = wire
        self.encode = None
        self.is_virtual = False
        self.start_ns = None

    def run(self):
        self.system._service = self
        try:
            self.greet(self.parse(self.wire.line()))
            self.converse()
        except _Closed:
            pass
        except (ProtocolError, Failure) as error:
            with contextlib.suppress(OSError):
                self.wire.send({"error": str(error)})
            raise
        finally:
            self.system._service = None

    def log(self, text):
        self.wire.send({"log": str(text)})

    def parse(self, line):
        if not line:
            raise _Closed
        try:
            message = json.loads(line)
        except ValueError as error:
            raise ProtocolError("a line is no JSON: %s" % error)
        if not isinstance(message, dict):
            raise ProtocolError("a message must be a JSON object")
        return message

    def greet(self, message):
        if "stop" in message:
            raise _Closed
        hello = message.get("hello")
        if not isinstance(hello, dict):
            raise ProtocolError("the first message must be hello")
        offered = hello.get("protocols")
        if not isinstance(offered, list):
            offered = [hello.get("protocol")]
        known = [version for version in PROTOCOLS if version in offered]
        if not known:
            raise ProtocolError("only the versions 1 and 2 of the protocol are known here")
        if hello.get("clock") not in ("virtual", "real"):
            raise ProtocolError("`clock` must be `real` or `virtual`")
        self.is_virtual = hello["clock"] == "virtual"
        if self.is_virtual and isinstance(self.system, Device):
            raise ProtocolError("this is a device, which knows the real clock only")
        self.encode = _Values(known[-1], hello)
        self.system.hello(hello)
        ready = {"ready": 0}
        if known[-1] == 2:
            ready.update(protocol=2, can=list(self.system.can()))
        self.wire.send(ready)

    def take(self, message):
        """Does what a message says, and answers it."""
        if "stop" in message:
            raise _Closed
        if "reset" in message:
            self.reset(_whole(message, "reset"))
        elif "hello" in message:
            raise ProtocolError("hello came twice")
        elif self.start_ns is None:
            raise ProtocolError("a reset must come first")
        elif "input" in message:
            name, values = message["input"], message.get("values", [])
            if not isinstance(name, str):
                raise _wrong("input", "a name", name)
            if not isinstance(values, list):
                raise _wrong("values", "a list", values)
            if self.encode.version == 1 and not all(map(_is_int32, values)):
                raise _wrong("values", "a list of integers of 32 bits", values)
            values = [self.encode.decoded("values", (name, i), value) for i, value in enumerate(values)]
            self.done(self.input(self.instant(message), name, values))
        elif "wait" in message:
            self.wait(_whole(message, "wait"))
        elif self.encode.version == 1 and not {"step", "set", "read"}.isdisjoint(message):
            name = next(name for name in ("step", "set", "read") if name in message)
            raise ProtocolError("version 1 of the protocol has no message `%s`" % name)
        elif "step" in message:
            number = _whole(message, "step")
            ports = self.ports(message)
            at_ns = self.set(self.instant(message), ports)
            outputs = self.encode.ports(self.step(at_ns))
            self.answer({"stepped": outputs, "step": number}, at_ns)
        elif "set" in message:
            self.done(self.set(self.instant(message), self.ports(message)))
        elif "read" in message:
            names = message["read"]
            if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
                raise _wrong("read", "a list of names", names)
            at_ns = self.instant(message)
            values = self.encode.ports({name: self.read(at_ns, name) for name in names})
            self.answer({"values": values}, at_ns)
        else:
            raise ProtocolError("a message that is not known")

    def ports(self, message):
        ports = message.get("set", {})
        if not isinstance(ports, dict):
            raise _wrong("set", "an object of ports", ports)
        return {name: self.encode.decoded(name, name, value) for name, value in ports.items()}

    def answer(self, message, at_ns):
        self.wire.send(dict(message, at=at_ns))

    def wait(self, until_ns):
        raise ProtocolError("nobody waits by message on the real clock")


def _is_int32(value):
    return type(value) is int and -(2**31) <= value < 2**31


def _whole(message, name):
    value = message[name]
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise _wrong(name, "a whole number", value)
    return value


def _seconds(delay_ns):
    """A time-out: not negative, and not more than a queue can wait."""
    return min(max(delay_ns, 0) / 1e9, 3600.0)


class _SystemService(_Service):
    def converse(self):
        if self.is_virtual:
            while True:
                self.take(self.parse(self.wire.line()))
        events = queue.SimpleQueue()
        self.wire.hand_on(events)
        while True:
            self.send_due_outputs()
            try:
                line = events.get(timeout=self.patience())
            except queue.Empty:
                continue
            self.take(self.parse(line))

    def reset(self, number):
        self.system.reset()
        self.start_ns = time.monotonic_ns()
        self.wire.send({"ready": number})

    def instant(self, message):
        """When a message is taken: on the virtual clock when it says, on the real one now, after what
        is due."""
        if not self.is_virtual:
            return self.send_due_outputs()
        if "at" not in message:
            raise ProtocolError("`at` is missing, the instant of the virtual clock")
        return _whole(message, "at")

    def input(self, at_ns, name, values):
        self.system.input(at_ns, name, values)
        return at_ns

    def set(self, at_ns, ports):
        for name, value in ports.items():
            self.system.set(at_ns, name, value)
        return at_ns

    def step(self, at_ns):
        return self.system.step(at_ns)

    def read(self, at_ns, name):
        return self.system.read(at_ns, name)

    def done(self, at_ns):
        if self.is_virtual:
            self.wire.send({"done": at_ns})

    def wait(self, until_ns):
        if not self.is_virtual:
            super().wait(until_ns)
        output = self.system.advance(until_ns)
        self.wire.send({"quiet": until_ns} if output is None else self.told(output))

    def told(self, output):
        if isinstance(output, Stepped):
            at_ns, outputs, inputs = output
            message = {"stepped": self.encode.ports(outputs), "inputs": self.encode.ports(inputs)}
        else:
            at_ns, name, values = output
            message = {"output": name, "values": self.encode.values(name, values)}
        # Version 1 has no time stamps on the real clock.
        if self.is_virtual or self.encode.version == 2:
            message["at"] = at_ns
        return message

    def send_due_outputs(self):
        """Lets the system come to the present. Returns that instant."""
        if self.start_ns is None:
            return 0
        while True:
            now_ns = time.monotonic_ns() - self.start_ns
            output = self.system.advance(now_ns)
            if output is None:
                return now_ns
            self.wire.send(self.told(output))

    def patience(self):
        """How many seconds nothing will happen by itself."""
        due_ns = self.system.next_ns() if self.start_ns is not None else None
        if due_ns is None:
            return None
        if due_ns == 0:
            return _POLL_NS / 1e9
        return _seconds(due_ns - (time.monotonic_ns() - self.start_ns))


class _Timer:
    def __init__(self, at_ns, period_ns, callback):
        self.at_ns = at_ns
        self.period_ns = period_ns
        self.callback = callback

    def cancel(self):
        """Ends the timer. Nothing happens if it was called or has ended already."""
        self.callback = None


class _DeviceService(_Service):
    def __init__(self, system, wire):
        super().__init__(system, wire)
        self.events = queue.SimpleQueue()
        self.lock = threading.RLock()
        # The thread that handles a reset, while it does, and what it has to say afterwards.
        self.resetting = None
        self.held = []
        # A heap of (deadline, number, timer).
        self.timers = []
        self.numbers = itertools.count()
        self.problem = None

    def converse(self):
        self.wire.hand_on(self.events)
        while True:
            if self.problem is not None:
                raise self.problem
            line = None
            with contextlib.suppress(queue.Empty):
                line = self.events.get(timeout=self.patience())
            if line is not None:
                self.take(self.parse(line))
            # One at a time, so that lines have their turn.
            self.call_timer()

    def now_ns(self):
        if self.resetting is not None or self.start_ns is None:
            return 0
        return time.monotonic_ns() - self.start_ns

    def reset(self, number):
        with self.lock:
            self.resetting = threading.get_ident()
            self.timers.clear()
        self.system.reset()
        with self.lock:
            self.start_ns = time.monotonic_ns()
            self.resetting = None
            held, self.held = self.held, []
            for message in [{"ready": number}] + held:
                self.wire.send(message)

    def instant(self, message):
        return None

    def input(self, _, name, values):
        self.system.input(name, values)

    def set(self, _, ports):
        for name, value in ports.items():
            self.system.set(name, value)

    def step(self, _):
        return self.system.step()

    def read(self, _, name):
        return self.system.read(name)

    def done(self, _):
        pass

    def answer(self, message, _):
        with self.lock:
            self.wire.send(dict(message, at=self.now_ns()))

    def log(self, text):
        self.emit(lambda encode: {"log": str(text)})

    def emit(self, make):
        with self.lock:
            if self.resetting is None and self.start_ns is None:
                # A thread that did not wait for the first reset.
                return
            try:
                message = make(self.encode)
                if self.encode.version == 2 and "log" not in message:
                    message["at"] = self.now_ns()
                elif "stepped" in message:
                    raise Failure("version 1 of the protocol has no steps")
                if self.resetting is None or "log" in message:
                    self.wire.send(message)
                elif self.resetting == threading.get_ident():
                    self.held.append(message)
            except Failure as error:
                self.fail(error)
            except OSError:
                # The tester is gone, as whoever reads will notice.
                pass

    def fail(self, error):
        self.problem = self.problem or error
        self.events.put(None)

    def start_timer(self, timer):
        with self.lock:
            timer.at_ns += self.now_ns()
            heapq.heappush(self.timers, (timer.at_ns, next(self.numbers), timer))
        self.events.put(None)

    def patience(self):
        """How many seconds nothing will happen by itself."""
        with self.lock:
            while self.timers and self.timers[0][2].callback is None:
                heapq.heappop(self.timers)
            if not self.timers:
                return None
            return _seconds(self.timers[0][0] - self.now_ns())

    def call_timer(self):
        with self.lock:
            if not self.timers or self.timers[0][0] > self.now_ns():
                return
            _, number, timer = heapq.heappop(self.timers)
            callback = timer.callback
            if timer.period_ns is None:
                timer.callback = None
        if callback is None:
            return
        callback()
        with self.lock:
            if timer.callback is not None:
                n_over = (self.now_ns() - timer.at_ns) // timer.period_ns
                timer.at_ns += (n_over + 1) * timer.period_ns
                heapq.heappush(self.timers, (timer.at_ns, number, timer))


def log(text):
    """Says something for people, on stderr."""
    print(text, file=sys.stderr, flush=True)


def serve_on(system, read, write):
    """Serves a tester until it says stop or is gone, over two functions: `read(size)` waits for bytes and
    returns none at the end, `write(data)` takes all bytes."""
    service = _DeviceService if isinstance(system, Device) else _SystemService
    if isinstance(system, Stepwise):
        system = _Steps(system)
    service(system, _Wire(read, write)).run()


def serve(system):
    """Serves a tester on stdin and stdout, until it says stop or is gone. In the meantime, what is
    printed to stdout goes to stderr."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)

    def write(data):
        while data:
            data = data[os.write(kept, data) :]

    try:
        serve_on(system, lambda size: os.read(0, size), write)
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def serve_tcp(system, host, port, listen=False, once=False, patience=5.0):
    """Serves testers over TCP.

    Connects to a tester that listens; when that connection has ended, connects again, until no tester
    listens for `patience` seconds. Or listens, and serves one tester after the other, for ever. With
    `once`, it ends with the first connection."""
    if listen:
        with socket.create_server((host, port)) as server:
            log("listening on port %d" % server.getsockname()[1])
            while True:
                connection, _ = server.accept()
                _serve_connection(system, connection)
                if once:
                    return
    served = False
    while not (served and once):
        connection = _connected(host, port, patience, served)
        if connection is None:
            return
        _serve_connection(system, connection)
        served = True


def _connected(host, port, patience, served):
    """A connection to the next tester; None if there is none any more."""
    deadline = time.monotonic() + patience
    while True:
        try:
            connection = socket.create_connection((host, port))
            # On one machine, a port that nobody listens on may be given to the socket itself.
            if connection.getsockname() != connection.getpeername():
                return connection
            connection.close()
        except OSError:
            if time.monotonic() >= deadline:
                if served:
                    return None
                raise
        time.sleep(min(0.05, patience))


def _serve_connection(system, connection):
    with connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            serve_on(system, connection.recv, connection.sendall)
        except OSError as error:
            log("the tester is gone: %s" % error)
        finally:
            # Also for the thread that reads.
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
