# SPDX-License-Identifier: BSD-3-Clause
"""A real run whose viewer gets garbage and floods of messages, aborted connections, and requests without its token."""
import contextlib
import json
import random
import re
import socket
import struct
import time

from flow_run import FlowTest
from harness import PATIENCE
from raw_client import BINARY


class IsNotDisturbed(FlowTest):
    """Whatever is sent to the viewer, the monitors' rows are bitwise identical with those of a run without viewer."""

    def test_by_hostile_messages(self):
        self.wait_for_picture()
        lazy = self.watcher()  # does not read at all
        good = self.watcher()
        scene = good.next("state")["scene"]
        self.pause()  # a fast run would have millions of steps, and has to be repeated
        self.say_nonsense()
        self.connect_and_go()
        self.knock()
        self.button("Resume").click()
        self.assertEqual(good.next("state", lambda state: state["step"] > 0)["type"], "state")
        self.wait_for_picture(after=self.wait_for_picture())
        lazy.socket.close()

        # Nothing has changed, and the page still works.
        self.expect_text("#connection", "^running$")
        state = json.loads(self.page.evaluate("() => fetch('status').then((answer) => answer.text())"))
        self.assertEqual(state["most_watchers"], 16)
        with self.watcher() as watcher:
            self.assertEqual([opening["value"] for opening in watcher.next("hello")["openings"]], [1, 0])
            latest = watcher.next("state")
            self.assertEqual({**latest["scene"], "width": 0, "height": 0}, {**scene, "width": 0, "height": 0})
            self.assertFalse(latest["paused"])
            watcher.do("stop")
            self.wait_for_end()
        self.assertEqual([c["do"] for c in self.commands()], ["stop"])
        steps = self.commands()[0]["step"] + 1
        names = {path.name.split("_")[0] for path in self.out.iterdir()}
        self.assertEqual(names, {"checkpoint", "fields", "fields.vtkhdf.series", "monitors.csv", "monitors.json",
                                 "steering.jsonl", "summary.html"})
        self.assertEqual(self.problems, [])

        alone = self.folder / "alone"
        self.finish(self.case, "--out", alone, "--steps", steps)
        self.assertEqual((alone / "monitors.csv").read_bytes(), (self.out / "monitors.csv").read_bytes())
        name = f"fields_{steps - 1:08}.vtkhdf"
        self.assert_same_fields(self.out / name, alone / name)

    def say_nonsense(self):
        luck = random.Random(5)
        good = ['{"do":"opening","name":"in","value":0.5,"ramp":0.3}', '{"do":"viscosity","value":0.005,"ramp":0.3}',
                '{"do":"scene","scene":{"quantity":"pressure","camera":{"zoom":2,"pan":[0,0]}}}', '{"do":"pause"}']
        bad = ["", "{", "null", "[]", "7", '"pause"', "{}", '{"do":7}', '{"do":"none"}', '{"do":"explode"}',
               '{"do":["pause"]}', '{"do":"pause","why":1}', '{"do":"PAUSE"}', '{"do":"pause"}{"do":"pause"}',
               '{"do":"opening"}', '{"do":"opening","name":"in"}', '{"do":"opening","name":"in","value":"1"}',
               '{"do":"opening","name":"in","value":1e999}', '{"do":"opening","name":"in","value":null}',
               '{"do":"opening","name":"in","value":1,"ramp":-1}', '{"do":"opening","name":"in","value":1,"ramp":1e300}',
               '{"do":"opening","name":"in","value":NaN}', '{"do":"opening","name":["in"],"value":1}',
               '{"do":"opening","name":"' + "n" * 3000 + '","value":1}', '{"do":"viscosity","value":0}',
               '{"do":"scene"}', '{"do":"scene","scene":[]}', '{"do":"scene","scene":{"width":1000000}}',
               '{"do":"scene","scene":{"width":-5}}', '{"do":"scene","scene":{"width":500.5}}',
               '{"do":"scene","scene":{"camera":{"zoom":0}}}', '{"do":"scene","scene":{"camera":{"pan":[1]}}}',
               '{"do":"scene","scene":{"camera":{"azimuth":1e300}}}', '{"do":"scene","scene":{"plane_normal":[0,0,0]}}',
               '{"do":"scene","scene":{"low":1,"high":0}}', '{"do":"scene","scene":{"quantity":"\\u0000"}}',
               '{"do":"scene","scene":{"nonsense":1}}', '{"do":"pause"}\u0000', "[" * 2000, '{"do":' * 1000,
               '{"do":"scene","scene":' + '{"camera":' * 500 + "1" + "}" * 501, "\U0001f4a3" * 1000, " " * 60000,
               '{"do":"pause","x":"' + "y" * 60000 + '"}']
        for _ in range(150):
            text = luck.choice(good)
            cut = text[:luck.randrange(len(text))]
            junk = "".join(chr(luck.choice((luck.randrange(32), luck.randrange(128), luck.randrange(0x250))))
                           for _ in range(luck.randrange(1, 8)))
            bad.append(cut + luck.choice(("", junk)))  # a prefix of a command is not a command, and junk closes no bracket
            if bad[-1].count("}") >= bad[-1].count("{"):
                bad.pop()
        client = self.watcher()
        for text in bad:
            self.assertTrue(client.send(text), text[:99])
            self.assertIsNotNone(client.next("refused"), f"not refused: {text[:99]!r}")
            time.sleep(0.006)  # few enough per second that none is dropped unread
        client.send(luck.randbytes(1000), BINARY)
        self.assertIn("not text", client.next("refused")["text"])
        client.socket.close()
        # Bytes that are not a WebSocket message end this connection, and no other.
        for frame in (b"\xff\xff" + luck.randbytes(64),  # reserved bits
                      b"\x81\x05hello",  # without a mask
                      b"\x81\xff" + struct.pack(">Q", 1 << 62) + luck.randbytes(64),  # huge
                      b"\x81\xff" + struct.pack(">Q", (1 << 64) - 1) + luck.randbytes(64),
                      b"\x81\x82\0\0\0\0\xff\xfe",  # not UTF-8
                      b"\x89\xfe\x01\x00" + luck.randbytes(260),  # a long ping
                      b"\x80\x81\0\0\0\0x",  # continues nothing
                      luck.randbytes(4000)):
            with self.watcher() as client:
                client.say(frame)
                with contextlib.suppress(OSError):  # the connection may be closed already
                    client.socket.shutdown(socket.SHUT_WR)
                while client.next_frame()[0] is not None:
                    pass
        for size in (65 << 10, 1 << 20, 4 << 20):
            with self.watcher() as client:
                client.send(bytes(size) if size > 1 << 20 else b"[" * size)
                while client.next_frame()[0] is not None:
                    pass
        with self.watcher() as client:  # a flood: the connection is closed
            while all(client.send("{}") for _ in range(1000)):
                pass

    def connect_and_go(self):
        for number in range(100):
            client = self.client()
            kind = number % 4
            if kind == 1:
                client.say(b"GET / HTTP/1.1\r\nHost: loc")
            elif kind == 2:
                client.get("/status")
            elif kind == 3:
                self.assertEqual(client.watch(), 101)
            if kind != 2:  # without a close frame
                client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.socket.close()
        end = time.monotonic() + PATIENCE
        while json.loads(self.client().get("/status")[1])["watchers"] > 3:  # the page, the well-behaved viewer, and the one that does not read
            self.assertLess(time.monotonic(), end, "watchers stay though they went")
            time.sleep(0.05)

    def knock(self):
        at_home = f"http://127.0.0.1:{self.viewer.port}"
        for headers, status in (({"Origin": "http://elsewhere.example"}, 403), ({"Origin": "null"}, 403),
                                ({"Origin": "https://localhost.example"}, 403), ({"host": "elsewhere.example"}, 403),
                                ({"host": "127.0.0.1.example"}, 403), ({"host": ""}, 403),
                                ({"host": f"127.0.0.1:{self.viewer.port}", "Origin": at_home}, 101), ({}, 101)):
            with self.client() as client:
                self.assertEqual(client.watch(**headers), status, headers)
        with self.client() as client:
            self.assertEqual(client.get("/../../etc/passwd")[0], 404)
        with self.client() as client:
            self.assertIn(client.request("/" + "x" * 20000), (0, 400, 431))
        with self.client() as client:
            client.say(bytes(range(256)) * 40)


class AsksForTheToken(FlowTest):
    ranks, options = 1, []

    def check_access(self, host: str):
        address, token = self.viewer.url.split("?token=")
        self.assertRegex(token, "^[0-9a-f]{32}$")
        for target in ("/", "/watch", "/status", "/?token=", f"/?token={token[:-1]}", f"/status?token={token}0"):
            with self.client() as client:
                status, content = client.get(target, host=host)
                self.assertEqual(status, 403, target)
                self.assertNotIn(b"Bent tube", content)
        for target in ("/watch", "/watch?token=" + "0" * 32):
            with self.client() as client:
                self.assertEqual(client.watch(target, host=host), 403)
        with self.client() as client:
            self.assertEqual(client.watch(f"/watch?token={token}", host=host), 101)
            self.assertEqual(client.next("hello")["title"], "Bent tube")

    def test_who_has_it_not(self):
        self.expect_text("#subtitle", "on 1 rank$")
        self.wait_for_picture()
        self.pause()
        self.check_access("localhost")
        self.page.goto(self.viewer.url.split("?")[0])
        self.assertIn("token that weft printed is missing", self.page.inner_text("body"))


class AsksForTheTokenElsewhere(AsksForTheToken):
    options = ["--view-address", "0.0.0.0"]

    def open(self, url):
        # The printed name of this machine may not resolve here.
        return super().open(re.sub("//[^:/]*:", "//127.0.0.1:", url))

    def test_who_has_it_not(self):
        self.expect_text("#connection", "^running$")
        self.wait_for_picture()
        self.check_access("anything.example")
