# SPDX-License-Identifier: BSD-3-Clause
"""weft.set_warning_handler."""
import unittest

from binding import PREFACE, Case, needs_module

LATE = PREFACE + """
import time
told = []
def late(options={}):
    "Rank 1 waits for 0.3 s for a message of rank 0, and warns after 0.05 s."
    data = np.zeros(1)
    exchange = weft.Exchange(watchdog_seconds=0.05 if rank == 1 else 0, **options)
    client = exchange.client("late")
    parts = [client.send(1, 5, data)] if rank == 0 else [client.receive(0, 5, data)]
    exchange.commit()
    with exchange.start() as messages:
        if rank == 0:
            time.sleep(0.3)
            messages.ready(parts[0])
"""


@needs_module
class Warnings(Case):
    def test_go_to_the_function_and_then_to_stderr_again(self):
        self.ok("""
            weft.set_warning_handler(told.append)
            for progress in ("polling", "thread", "send_receive_threads"): late({"progress": progress})
            if rank == 1:
                assert told and all(text.startswith("Rank 1 has waited") for text in told), told
                assert "Client 'late', key 5 from rank 0, 8 bytes" in told[0], told
            else: assert not told
            count = len(told)
            weft.set_warning_handler(None)
            late()
            assert len(told) == count
            """, preface=LATE)

    def test_are_printed_by_default(self):
        done = self.fails("""
            late()
            raise SystemExit(3)
            """, "weft: Rank 1 has waited", preface=LATE)
        self.assertEqual(done.stderr.count("weft: Rank 0"), 0)

    def test_a_handler_that_raises_ends_nothing(self):
        self.ok("""
            import sys
            seen = []
            sys.unraisablehook = lambda args: seen.append(str(args.exc_value))
            def handler(text): raise ValueError("on purpose")
            weft.set_warning_handler(handler)
            late()
            assert ("on purpose" in seen) == (rank == 1), seen
            """, preface=LATE)

    def test_a_handler_may_set_another_one(self):
        self.ok("""
            class Handler:
                def __call__(self, text): told.append(text); weft.set_warning_handler(told.append)
                def __del__(self): weft.set_warning_handler(None)
            weft.set_warning_handler(Handler())
            late()
            assert (len(told) > 0) == (rank == 1), told
            weft.set_warning_handler(Handler())
            weft.set_warning_handler(None)
            """, preface=LATE)

    def test_a_handler_at_the_end_of_the_program(self):
        """It is of the program's last object, and the interpreter ends with it."""
        self.ok("""
            class Handler:
                def __call__(self, text): told.append(text)
            weft.set_warning_handler(Handler())
            late({"progress": "thread"})
            """, preface=LATE)

    def test_only_functions(self):
        self.ok("""
            for wrong in (3, "text"):
                try: weft.set_warning_handler(wrong)
                except TypeError as error: assert "can't be called" in str(error), error
                else: raise AssertionError
            """, 0)


if __name__ == "__main__":
    unittest.main()
