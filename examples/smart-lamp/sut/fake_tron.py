"""A tester for the tests of the lamp: the other side of TRON's socket protocol and clock service.

It judges nothing: it does what a test tells it, and says what it was sent.
"""

import socket
import struct
import threading

ACKNOWLEDGED = 0x80000000
ERRORS = {-1: "there is no such thing"}


class Stream:
    """Numbers over a connection."""

    def __init__(self, connection):
        self.connection = connection
        if connection.family != socket.AF_UNIX:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self, form):
        size = struct.calcsize(">" + form)
        data = b""
        while len(data) < size:
            piece = self.connection.recv(size - len(data))
            if not piece:
                raise EOFError
            data += piece
        return struct.unpack(">" + form, data)

    def text(self):
        return self.read(f"{self.read('B')[0]}s")[0].decode()

    def send(self, form, *values):
        self.connection.sendall(struct.pack(">" + form, *values))

    def close(self):
        try:
            self.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.connection.close()


class FakeTron:
    """A test with one adapter. `clock` is a `FakeClock`, or None for the machine's."""

    def __init__(self, connection, clock=None, inputs=("grasp", "release"), outputs=("level",)):
        self.stream = Stream(connection)
        self.clock = clock
        self.channels = {name: number for number, name in enumerate([*inputs, *outputs], 1)}
        self.inputs = inputs
        self.variables = []
        self.unit = self.timeout = None
        # What the adapter sent: the instant in milliseconds on the virtual clock, and the values.
        self.heard = []
        self.acknowledged = threading.Semaphore(0)

    def configure(self, refuse=None):
        """Answers the requests of the adapter until it wants to start."""
        while True:
            code, = self.stream.read("B")
            if code in (1, 2):
                name = self.stream.text()
                known = name in self.channels and (name in self.inputs) == (code == 1)
                self.stream.send("i", self.channels[name] if known else -1)
            elif code in (3, 4):
                channel, = self.stream.read("i")
                self.variables.append((channel, self.stream.text()))
                self.stream.send("i", 0)
            elif code == 5:
                seconds, microseconds = self.stream.read("ii")
                self.unit = (seconds << 32) + microseconds
                self.stream.send("i", 0)
            elif code == 6:
                self.timeout, = self.stream.read("i")
                self.stream.send("i", 0)
            elif code == 0x40:
                text = (refuse or "").encode()
                self.stream.send(f"B{len(text)}s", len(text), text)
                if not refuse:
                    threading.Thread(target=self.listen, daemon=True).start()
                return
            elif code == 0x7F:
                text = ERRORS[self.stream.read("i")[0]].encode()
                self.stream.send(f"B{len(text)}s", len(text), text)
            else:
                raise AssertionError(f"request {code} is not known")

    def listen(self):
        """The thread that reads events."""
        try:
            while True:
                number, = self.stream.read("I")
                if number & ACKNOWLEDGED:
                    for _ in range(number - ACKNOWLEDGED):
                        self.acknowledged.release()
                    continue
                n_values, = self.stream.read("H")
                values = self.stream.read(f"{n_values}i")
                now = self.clock.now / 1000 if self.clock else None
                self.heard.append((now, number, values))
                if self.clock:
                    self.stream.send("I", ACKNOWLEDGED | 1)
        except (EOFError, OSError):
            pass

    def send(self, name, *values):
        """An input."""
        self.stream.send(f"iH{len(values)}i", self.channels[name], len(values), *values)
        if self.clock:
            assert self.acknowledged.acquire(timeout=30), "not acknowledged"

    def close(self):
        self.stream.close()


class Waiting:
    """A thread that waits for a condition or an instant (in microseconds)."""

    def __init__(self, condition, due):
        self.condition = condition
        self.due = due
        self.code = None


class FakeClock:
    """A clock service. Time passes when all threads that are active wait, to the least instant."""

    def __init__(self):
        self.now = 0
        self.change = threading.Condition()
        self.n_active = 0
        self.waiting = []
        self.owners = {}
        self.n_conditions = 0
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.names = []
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self):
        try:
            self.server.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.server.close()

    def accept(self):
        try:
            while True:
                connection = self.server.accept()[0]
                threading.Thread(target=self.serve, args=(Stream(connection),), daemon=True).start()
        except OSError:
            pass

    def add_active(self, number):
        self.n_active += number
        self.pass_time()

    def pass_time(self):
        """Called whenever somebody begins to wait."""
        dues = [waiting.due for waiting in self.waiting if waiting.due is not None]
        if self.n_active == 0 and dues:
            self.now = max(self.now, min(dues))
            for waiting in [w for w in self.waiting if w.due is not None and w.due <= self.now]:
                self.wake(waiting, 65)

    def wake(self, waiting, code):
        self.waiting.remove(waiting)
        waiting.code = code
        self.n_active += 1
        self.change.notify_all()

    def wait(self, condition, due):
        waiting = Waiting(condition, due)
        self.waiting.append(waiting)
        self.add_active(-1)
        self.change.wait_for(lambda: waiting.code is not None)
        return waiting.code

    def lock(self, mutex):
        # Nobody keeps it for long, and never while time passes.
        self.change.wait_for(lambda: not self.owners[mutex])
        self.owners[mutex] = True

    def unlock(self, mutex):
        self.owners[mutex] = False
        self.change.notify_all()

    def sleep_until(self, milliseconds):
        """For the test itself, which is an active thread."""
        with self.change:
            self.wait(None, round(milliseconds * 1000))

    def join(self):
        """The test becomes an active thread."""
        with self.change:
            self.add_active(1)

    def serve(self, stream):
        """One thread of the adapter."""
        try:
            self.names.append(stream.text())
            with self.change:
                self.add_active(1)
            active = True
            while True:
                code, = stream.read("i")
                if code == 127:
                    break
                arguments = stream.read({5: "i", 6: "i", 9: "ii", 10: "iiii", 12: "i"}.get(code, ""))
                with self.change:
                    if code in (1, 2):
                        active = code == 2
                        self.add_active(1 if active else -1)
                        reply = [0]
                    else:
                        reply = self.perform(code, *arguments)
                stream.send(f"{len(reply)}i", *reply)
        except (EOFError, OSError):
            pass
        with self.change:
            if active:
                self.add_active(-1)
        stream.close()

    def perform(self, code, *arguments):
        if code == 3:
            self.owners[len(self.owners)] = False
            return [len(self.owners) - 1]
        if code == 7:
            self.n_conditions += 1
            return [self.n_conditions]
        if code in (5, 6):
            (self.lock if code == 5 else self.unlock)(*arguments)
            return [0]
        if code in (9, 10):
            condition, mutex, *due = arguments
            self.unlock(mutex)
            answer = self.wait(condition, due[0] * 1_000_000 + due[1] if due else None)
            self.lock(mutex)
            return [answer]
        if code == 12:
            for waiting in [w for w in self.waiting if w.condition == arguments[0]][:1]:
                self.wake(waiting, 0)
            return []
        if code == 14:
            return list(divmod(self.now, 1_000_000))
        raise AssertionError(f"operation {code} is not known")
