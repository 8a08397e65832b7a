# SPDX-License-Identifier: BSD-3-Clause
"""weft.Graph, weft.MatrixGraph, and receives that combine."""
import importlib.util
import unittest

from binding import PREFACE, Case, needs_module

GRAPH = PREFACE + """
from mpi4py import MPI
comm = MPI.COMM_WORLD

def dealt(seed, numbers):
    "The numbers that each rank owns and wants: the same on all ranks."
    random = np.random.default_rng(seed)
    owner = random.integers(size, size=len(numbers))
    owned = [random.permutation(numbers[owner == r]) for r in range(size)]
    return owned, [random.choice(numbers, random.integers(2 * len(numbers))) for _ in range(size)]

def value(numbers, component=0):
    return (numbers % np.uint64(100003)).astype(float) + 0.25 * component

def run(exchange):
    exchange.commit()
    for _ in range(2):
        with exchange.start() as messages:
            messages.ready_all()
"""


@needs_module
class Graphs(Case):
    def test_copies_have_the_values_of_their_owners(self):
        for ranks in (1, 2, 3, 4):
            with self.subTest(ranks=ranks):
                self.ok("""
                    numbers = np.array([0, 7, 2 ** 64 - 1, *range(2 ** 63, 2 ** 63 + 500)], np.uint64)
                    owned, wanted = (lists[rank] for lists in dealt(1, numbers))
                    graph = weft.Graph(owned, wanted)
                    u, copies = value(owned), np.full(len(wanted), -1.)
                    vectors = np.array([value(owned, c) for c in range(3)]).T.astype("f4")        # Fortran's order
                    vector_copies = np.zeros((len(wanted), 3), "f4")
                    exchange = weft.Exchange()
                    client = exchange.client("fields")
                    sends, receives = graph.to_copies(client, 1, u, copies)
                    graph.to_copies(client, 2, vectors, vector_copies)
                    run(exchange)
                    assert (copies == value(wanted)).all()
                    for c in range(3):
                        assert (vector_copies[:, c] == value(wanted, c).astype("f4")).all()
                    assert [len(sends), len(receives)] == [len(graph.readers), len(graph.owners)]
                    assert sum(len(places) for _, places in graph.owners) == len(wanted)
                    mine = {r: owned[places].tolist() for r, places in graph.readers}
                    theirs = comm.alltoall([mine.get(r, []) for r in range(size)])
                    for r, places in graph.owners:
                        assert wanted[places].tolist() == theirs[r]
                    assert repr(graph).startswith(f"<weft.Graph: {len(owned)} owned number"), repr(graph)
                    """, ranks, preface=GRAPH)

    def test_copies_are_combined_at_their_owners(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                self.ok("""
                    numbers = np.arange(400, dtype=np.int64)
                    all_owned, all_wanted = dealt(2, numbers)
                    owned, wanted = all_owned[rank], all_wanted[rank]
                    graph = weft.Graph(list(owned), wanted)
                    for combine, function in (("sum", np.add), ("maximum", np.maximum), ("minimum", np.minimum)):
                        for dtype in ("f8", "i8", "i2"):
                            u, copies = np.full(len(owned), 5, dtype), (wanted * (rank + 1) % 89).astype(dtype)
                            exchange = weft.Exchange()
                            graph.to_owners(exchange.client("u"), 1, copies, u, combine, in_any_order=dtype == "i8")
                            exchange.commit()
                            with exchange.start() as messages:
                                messages.ready_all()
                            expected = np.full(400, 5, dtype)
                            for r, of in enumerate(all_wanted):
                                function.at(expected, of, (of * (r + 1) % 89).astype(dtype))
                            assert (u == expected[owned]).all(), (combine, dtype)
                            exchange.close()
                    """, ranks, preface=GRAPH)

    def test_errors_are_the_same_on_all_ranks(self):
        self.ok("""
            def error(owned, wanted):
                try:
                    weft.Graph(owned, wanted)
                except weft.Error as e:
                    return str(e)
            mine = [2 * rank, 2 * rank + 1]
            assert error(mine, [99] if rank == 1 else []) == \\
                "Number 99 is wanted by rank 1, but no rank owns it. Want only numbers that a rank owns."
            assert error([5, rank], []) == "Number 5 is owned by ranks 0 and 1. Give each number one owner."
            told = error(mine, [-3] if rank == 1 else [0])
            assert told == "The wanted numbers of a graph have the number -3. Give 0 or more.", told
            for wrong in ([0.5], [[1, 2]], ["a"], None):
                assert "no list of integers" in error(wrong, [])
            assert "no list of integers" in error(None if rank == 1 else mine, [])
            graph = weft.Graph(mine, mine)
            client = weft.Exchange().client("u")
            for owned, copies, wanted in ((np.zeros(3), np.zeros(2), "Give 2 values"), (np.zeros((2, 2, 2)), np.zeros(2), "3 axes"),
                                          (np.zeros((2, 2)), np.zeros(2), "2 components"), (np.zeros(2), np.zeros(2, "f4"), "float32"),
                                          (np.zeros(2)[::-1], np.zeros(2), "reversed")):
                try:
                    graph.to_copies(client, 1, owned, copies)
                    assert False, wanted
                except weft.Error as e:
                    assert wanted in str(e), e
            try:
                graph.to_owners(client, 1, np.zeros(2), np.zeros(2), "product")
                assert False
            except weft.InputError as e:
                assert "product" in str(e)
            """, 2, preface=GRAPH)


EXCHANGE = GRAPH + """
import gc

def error(call):
    try:
        call()
    except (weft.Error, TypeError) as e:
        return e

def sums(own, wanted, combine):
    "The values of all numbers after the copies of each rank (its rank, plus one) were combined with the owners'."
    for r, of in enumerate(wanted):
        combine.at(own, of, np.full(len(of), r + 1.))
    return own
"""


@needs_module
class GraphExchanges(Case):
    def test_fields_go_to_copies_and_to_owners(self):
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                self.ok("""
                    numbers = np.arange(300, dtype=np.uint64)
                    all_owned, all_wanted = dealt(5, numbers)
                    owned, wanted = all_owned[rank], all_wanted[rank]
                    graph = weft.Graph(owned, wanted)
                    for options in ({}, {"grouping": "per_part", "progress": "thread"}, {"shared_memory": True}, {"grouping": "per_node"},
                                    {"defer_unpacking": True, "carrier": "datatypes"}):
                        u, copies = np.zeros(len(owned)), np.zeros(len(wanted))
                        vectors = np.array([value(owned, c) for c in range(3)]).T.astype("f4")        # Fortran's order
                        vector_copies = np.zeros((len(wanted), 5), "f4")
                        fill = weft.GraphExchange(graph, (u, copies), [vectors, vector_copies[:, 1:4]], **options)
                        for step in range(3):
                            u[:] = value(owned) + step
                            with fill.start() as started:
                                assert started is fill and fill.is_active
                                fill.progress()
                            assert (copies == value(wanted) + step).all() and not fill.is_active and fill.test()
                        for c in range(3):
                            assert (vector_copies[:, 1 + c] == value(wanted, c).astype("f4")).all()
                        assert not vector_copies[:, ::4].any()
                        assert "message" in fill.describe() and repr(fill).startswith("<weft.GraphExchange: "), repr(fill)
                        fill.close()
                        assert repr(fill) == "<weft.GraphExchange: closed>" and "closed" in str(error(fill.start))

                        f, least, most = np.full((3, len(owned)), 1.5)
                        copies[:] = rank + 1
                        add = weft.GraphExchange(graph, (f, copies), (least, copies, "minimum"), (most, copies, "maximum"), flow="to_owners",
                                                 **options)
                        add.start()
                        add.finish()
                        for array, combine in (f, np.add), (least, np.minimum), (most, np.maximum):
                            assert (array == sums(np.full(300, 1.5), all_wanted, combine)[owned]).all(), combine
                    """, ranks, preface=EXCHANGE)

    def test_a_copy_replaces_the_owners_value_without_a_combine(self):
        self.ok("""
            graph = weft.Graph([2 * rank, 2 * rank + 1], [2 * right])
            for field, combine in (lambda u, copies: (u, copies), None), (lambda u, copies: (u, copies, None), "sum"):
                u, copies = np.array([1., 2.]), np.array([10. + rank])
                replace = weft.GraphExchange(graph, field(u, copies), flow="to_owners", combine=combine)
                replace.start().finish()
                assert u.tolist() == [10 + left, 2], u
            """, 3, preface=EXCHANGE)

    def test_wrong_fields_on_one_rank_are_an_error_on_all(self):
        for ranks in (1, 3):
            with self.subTest(ranks=ranks):
                self.ok("""
                    graph = weft.Graph([2 * rank, 2 * rank + 1], [2 * right, 2 * rank])
                    u, copies, read_only = np.zeros(2), np.zeros(2), np.zeros(2)
                    read_only.flags.writeable = False
                    of_one = size - 1
                    for field, wanted, kind in (((np.zeros(3), copies), "Give 2 values", weft.InputError),
                                                ((u, copies[::-1]), "reversed", weft.InputError),
                                                ((u, copies, "mean"), "Unknown reduction 'mean'", weft.InputError),
                                                (u, "is no tuple", weft.InputError), ((u,), "is no tuple", weft.InputError),
                                                ((u, copies, 5), "is no tuple", weft.InputError),
                                                ((u, "text"), "copies of a graph", TypeError), ((read_only, copies), "read-only", TypeError)):
                        fields = [(u, copies), field if rank == of_one else (u, copies)]
                        got = error(lambda: weft.GraphExchange(graph, *fields, flow="to_owners"))
                        assert wanted in str(got), (wanted, got)
                        assert isinstance(got, kind if kind is not TypeError or rank == of_one else weft.Error), type(got)
                    got = error(lambda: weft.GraphExchange(graph, (u, copies), flow="back"))
                    assert str(got) == "Unknown flow 'back'. Use to_copies or to_owners.", got
                    assert "'round'" in str(error(lambda: weft.GraphExchange(graph, (u, copies), round=1)))
                    if size > 1:
                        got = error(lambda: weft.GraphExchange(graph, *[(u, copies)] * (2 if rank == 0 else 1)))
                        assert "Client 'graph'" in str(got), got
                    weft.GraphExchange(graph, (u, copies)).start().finish()
                    """, ranks, preface=EXCHANGE)

    def test_start_and_finish_alternate(self):
        self.ok("""
            exchange = weft.GraphExchange(weft.Graph([1], [1]), (np.ones(1), np.zeros(1)))
            early = "A graph's exchange is finished before start(). Call start() first."
            assert str(error(exchange.finish)) == early
            assert "Write `with exchange.start():`" in str(error(exchange.__enter__))
            exchange.start().finish()
            assert str(error(exchange.finish)) == early and not exchange.has_failed
            exchange.start()
            assert str(error(exchange.start)) == "A graph's exchange is started again before finish(). Make a new one after an error."
            assert exchange.has_failed and "before finish()" in str(error(exchange.finish))
            """, 1, preface=EXCHANGE)

    def test_arrays_and_exchanges_that_the_program_drops(self):
        self.ok("""
            n = 1 << 16
            numbers = np.arange(n) + n * rank
            graph = weft.Graph(numbers, (numbers + n) % (n * size))
            exchange = weft.GraphExchange(graph, (np.full(n, rank), target := np.zeros(n, int)))
            view = target[:4]
            del graph, target
            gc.collect()
            junk = [np.full(n, 99) for _ in range(4)]
            with exchange.start():
                gc.collect()
            assert (view == right).all(), view
            exchange.start()
            del exchange                # is waited for
            gc.collect()
            left_open = weft.GraphExchange(weft.Graph([rank], [right]), (np.ones(1), np.zeros(1))).start()
            """, 3, preface=EXCHANGE)

    def test_a_failure_is_final_on_all_ranks(self):
        self.ok("""
            graph = weft.Graph([2 * rank, 2 * rank + 1], np.arange(2 * size))
            u, copies = np.ones(2), np.ones(2 * size)
            for way in "fail", "raise":
                add = weft.GraphExchange(graph, (u, copies), flow="to_owners")
                weft.barrier()        # otherwise a rank may get the error of another one in the constructor
                def step():
                    with add.start():
                        if rank == 1 and way == "fail": add.fail("on purpose")
                        if rank == 1 and way == "raise": raise weft.Error("on purpose")
                got = None
                while got is None: got = error(step)
                assert "on purpose" in str(got) and add.has_failed and not add.is_active, got
                assert isinstance(got, weft.PeerError) == (rank != 1), type(got)
                for call in add.start, add.progress, add.test, add.finish:
                    assert str(error(call)) == "The exchange of 'graph' has failed (rank 1: on purpose). Make a new one.", error(call)
            u[:], copies[:] = 1, 2
            weft.GraphExchange(graph, (u, copies), flow="to_owners").start().finish()
            assert (u == 1 + 2 * size).all()
            """, 3, preface=EXCHANGE)


MATRIX = GRAPH + """
def rows_of(seed, n, shuffled):
    "My rows of a random matrix as numbers, and CSR with global columns; and the whole matrix."
    random = np.random.default_rng(seed)
    whole = random.integers(-3, 4, (n, n)) * (random.random((n, n)) < 0.1)
    owner = random.integers(size, size=n) if shuffled else np.arange(n) * size // n
    owned = np.flatnonzero(owner == rank)
    rows, columns = np.nonzero(whole[owned])
    starts = np.searchsorted(rows, np.arange(len(owned) + 1))
    return owned, starts, columns, whole
"""


@needs_module
class Matrices(Case):
    def test_interior_and_edge_rows_give_the_product(self):
        for ranks in (1, 2, 3):
            with self.subTest(ranks=ranks):
                self.ok("""
                    for shuffled in (False, True):
                        owned, starts, columns, whole = rows_of(3, 60, shuffled)
                        matrix = weft.MatrixGraph(owned, starts, columns)
                        n = len(owned)
                        x, y = np.zeros(n + len(matrix.copies)), np.full(n, np.nan)
                        x[:n] = value(owned)
                        exchange = weft.Exchange()
                        matrix.graph.to_copies(exchange.client("x"), 1, x[:n], x[n:])
                        exchange.commit()
                        def multiply(rows):
                            for i in rows:
                                k = slice(starts[i], starts[i + 1])
                                y[i] = whole[owned[i], columns[k]] @ x[matrix.columns[k]]
                        with exchange.start() as messages:
                            messages.ready_all()
                            multiply(matrix.interior)
                        multiply(matrix.edge)
                        assert (y == (whole @ value(np.arange(60)))[owned]).all()
                        assert (x[n:] == value(matrix.copies)).all()
                        exchange.close()
                    """, ranks, preface=MATRIX)

    @unittest.skipUnless(importlib.util.find_spec("scipy"), "scipy is not installed")
    def test_matrices_of_scipy(self):
        self.ok("""
            import scipy.sparse
            owned, starts, columns, whole = rows_of(4, 80, True)
            a = scipy.sparse.csr_matrix(whole[owned])
            matrix = weft.MatrixGraph(owned, a.indptr, a.indices)
            n = len(owned)
            x = np.zeros(n + len(matrix.copies))
            local = scipy.sparse.csr_matrix((a.data, matrix.columns, a.indptr), shape=(n, len(x)))
            inner, outer = local[matrix.interior], local[matrix.edge]
            exchange = weft.GraphExchange(matrix.graph, (x[:n], x[n:]))
            x[:n] = value(owned)
            y = np.empty(n)
            with exchange.start():
                y[matrix.interior] = inner @ x
            y[matrix.edge] = outer @ x
            assert (y == (whole @ value(np.arange(80)))[owned]).all()
            """, 3, preface=MATRIX)


@needs_module
class CombiningReceives(Case):
    def test_are_added_in_the_order_of_ranks(self):
        self.ok("""
            u, v = np.full(3, 0.1), np.full((2, 3), 7)
            out, whole = np.full(3, 1e16 if rank % 2 else 1.0), np.full(3, rank)
            exchange = weft.Exchange()
            client = exchange.client("sums")
            for r in range(size):
                client.send(0, 10 + rank, out) if r == 0 else None
                client.send(r, 1, whole)
                client.receive(r, 1, v[0], combine="maximum")
            for r in range(size if rank == 0 else 0):
                client.receive(r, 10 + r, u, combine="sum")
            exchange.commit()
            with exchange.start() as messages:
                messages.ready_all()
            expected = 0.1
            for r in range(size):
                expected += 1e16 if r % 2 else 1.0
            assert rank > 0 or (u == expected).all(), (u, expected)
            assert (v[0] == max(7, size - 1)).all() and (v[1] == 7).all()
            """, 4)

    def test_refuse_what_has_no_sum(self):
        self.ok("""
            client = weft.Exchange().client("u")
            for array, combine, wanted in ((16, "sum", "only a number of bytes"), (np.zeros(2, "M8[s]"), "sum", "can't be reduced"),
                                           (np.zeros(2, "c16"), "maximum", "not ordered"), (np.zeros(2), "mean", "Unknown reduction 'mean'")):
                try:
                    client.receive(0, 1, array, combine=combine)
                    assert False, wanted
                except weft.InputError as e:
                    assert wanted in str(e), e
            """, 1)


if __name__ == "__main__":
    unittest.main()
