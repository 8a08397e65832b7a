# SPDX-License-Identifier: BSD-3-Clause
"""A client of the viewer that sends any bytes, correct or wrong, over a plain socket."""
import base64
import json
import os
import socket
import struct
import time

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


class RawClient:
    def __init__(self, port: int, address: str = "127.0.0.1", patience: float = 30):
        self.socket = socket.create_connection((address, port), timeout=patience)
        self.buffer, self.patience = b"", patience

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def say(self, data: bytes) -> bool:
        """False if the other side has closed the connection."""
        try:
            self.socket.sendall(data)
        except OSError:
            return False
        return True

    def _read(self, done) -> bool:
        while not done():
            try:
                chunk = self.socket.recv(65536)
            except ConnectionError:
                chunk = b""
            if not chunk:
                return False
            self.buffer += chunk
        return True

    def _take(self, count: int) -> bytes:
        self._read(lambda: len(self.buffer) >= count)
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def request(self, target: str, host: str = "localhost", **headers) -> int:
        """The status of the response; its content is not read."""
        lines = [f"GET {target} HTTP/1.1", f"Host: {host}"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.say(("\r\n".join(lines) + "\r\n\r\n").encode())
        if not self._read(lambda: b"\r\n\r\n" in self.buffer):
            return 0
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        return int(head.split()[1])

    def get(self, target: str, **headers) -> tuple:
        """Status and content of the response."""
        status = self.request(target, Connection="close", **headers)
        self._read(lambda: False)
        return status, self.buffer

    def watch(self, target: str = "/watch", **headers) -> int:
        """The status of the response: 101 if the connection becomes a WebSocket."""
        key = base64.b64encode(os.urandom(16)).decode()
        return self.request(target, Connection="Upgrade", Upgrade="websocket", Sec_WebSocket_Version=13,
                            Sec_WebSocket_Key=key, **headers)

    def send(self, data, kind: int = TEXT) -> bool:
        data = data.encode() if isinstance(data, str) else data
        mask = b"\x5a\x01\xf0\x77"
        head = bytes([0x80 | kind])
        if len(data) < 126:
            head += bytes([0x80 | len(data)])
        elif len(data) < 65536:
            head += b"\xfe" + struct.pack(">H", len(data))
        else:
            head += b"\xff" + struct.pack(">Q", len(data))
        masked = bytes(byte ^ mask[i & 3] for i, byte in enumerate(data))
        return self.say(head + mask + masked)

    def do(self, what: str, **values) -> bool:
        return self.send(json.dumps({"do": what, **values}))

    def next_frame(self) -> tuple:
        """Kind and data of the next frame; (None, b"") if the connection has ended. Pings are answered."""
        while True:
            head = self._take(2)
            if len(head) < 2:
                return None, b""
            length = head[1] & 0x7F
            if length >= 126:
                digits = self._take(2 if length == 126 else 8)
                length = int.from_bytes(digits, "big")
            data = self._take(length)
            if len(data) < length:
                return None, b""
            if head[0] & 0x0F != PING:
                return head[0] & 0x0F, data
            self.send(data, PONG)

    def next(self, kind: str, wanted=lambda message: True):
        """The next message of this type for which `wanted` is true; None if the connection ends or it does not come."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            frame, data = self.next_frame()
            if frame in (None, CLOSE):
                return None
            if frame == TEXT:
                message = json.loads(data)
                if message["type"] == kind and wanted(message):
                    return message
        return None
