// SPDX-License-Identifier: BSD-3-Clause
#include "weft/graph/graph.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>

#include "core/bind.hpp"
#include "core/end.hpp"
#include "core/options.hpp"
#include "core/own_exchange.hpp"
#include "core/repr.hpp"
#include "core/requests.hpp"
#include "core/world.hpp"
#include "weft/error.hpp"
#include "weft/graph/graph_exchange.hpp"
#include "weft/graph/matrix_graph.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::python {
namespace {

/// weft.Graph.
struct PyGraph {
  std::shared_ptr<mpi::Communicator> transport;
  Graph graph;
};

/// weft.MatrixGraph.
struct PyMatrixGraph {
  std::shared_ptr<PyGraph> graph;
  nb::object copies, columns, interior, edge;
};

// Whole numbers from 0 of an array, a list or a range. `keep` holds their memory.
std::span<const std::uint64_t> numbers_of(nb::handle list, const char* what, nb::object& keep) {
  const auto numpy = nb::module_::import_("numpy");
  const nb::object array = numpy.attr("asarray")(list);
  const auto size = nb::cast<std::size_t>(array.attr("size"));
  const auto kind = nb::cast<std::string>(array.attr("dtype").attr("kind"));
  if (const int axes = nb::cast<int>(array.attr("ndim")); axes != 1 || (size > 0 && kind != "i" && kind != "u")) {
    const nb::object dtype = array.attr("dtype");
    throw InputError("The " + std::string(what) + " of a graph are no list of integers (dtype " +
                     nb::cast<std::string>(nb::str(dtype)) + ", " + std::to_string(axes) +
                     (axes == 1 ? " axis" : " axes") + "). Give an array of integers with one axis.");
  }
  if (kind == "i" && size > 0)
    if (const nb::object least = array.attr("min")(); nb::cast<std::int64_t>(nb::int_(least)) < 0)
      throw InputError("The " + std::string(what) + " of a graph have the number " +
                       nb::cast<std::string>(nb::str(least)) + ". Give 0 or more.");
  keep = numpy.attr("ascontiguousarray")(array, nb::arg("dtype") = "uint64");
  const auto memory = memory_of(keep, false, what);
  return {reinterpret_cast<const std::uint64_t*>(memory.data), memory.elements()};
}

// Converts what each rank gives. What is wrong on one rank is an error on all; a TypeError remains one on its rank.
void convert_together(Transport& transport, const std::function<void()>& convert) {
  std::exception_ptr of_python;
  const nb::gil_scoped_release released;
  try {
    together(transport, [&] {
      const nb::gil_scoped_acquire held;
      try {
        convert();
      } catch (const Error&) {
        throw;
      } catch (...) {
        of_python = std::current_exception();
        throw;
      }
    });
  } catch (const Error&) {
    if (of_python) std::rethrow_exception(of_python);
    throw;
  }
}

template <class T>
nb::object array_of(const std::vector<T>& values, const char* type) {
  nb::object array = new_array({values.size()}, nb::str(type));
  const auto memory = memory_of(array, true, "graph");
  const auto copy = [&]<class U>(U* to) {
    std::ranges::transform(values, to, [](T value) { return static_cast<U>(value); });
  };
  if (memory.kind == Kind::integer)
    copy(reinterpret_cast<std::int64_t*>(memory.data));
  else
    copy(reinterpret_cast<std::uint64_t*>(memory.data));
  return array;
}

nb::list neighbours(const std::vector<Graph::Neighbour>& all) {
  nb::list list;
  for (const auto& [rank, places] : all) list.append(nb::make_tuple(rank, array_of(places.list(), "int64")));
  return list;
}

// An array of one value per number, or with a second axis for components.
Values values_of(const Memory& memory, std::size_t numbers, const char* what) {
  const auto text = [&](const std::string& rest) { return InputError("The " + std::string(what) + " " + rest); };
  const auto axes = memory.shape.size();
  if (axes < 1 || axes > 2 || memory.shape[0] != numbers)
    throw text("of a graph are an array of " + std::to_string(axes) + " axes" +
               (axes == 0 ? "" : ", the first with " + std::to_string(memory.shape[0])) + ". Give " +
               std::to_string(numbers) + " values, or a second axis for components.");
  const auto item = static_cast<std::ptrdiff_t>(memory.item);
  for (std::size_t a = 0; a < axes; ++a)
    if (memory.shape[a] > 1 && (memory.strides[a] <= 0 || memory.strides[a] % item != 0))
      throw text("of a graph are an array whose axis " + std::to_string(a) +
                 " is reversed, repeats elements or cuts them. Give a copy of the array.");
  const auto stride = [&](std::size_t a) { return static_cast<std::size_t>(memory.strides[a] / item); };
  ValueLayout layout{.components = axes == 2 ? memory.shape[1] : 1, .stride = numbers > 1 ? stride(0) : 0};
  if (axes == 2) {
    layout.component_stride = stride(1);
    layout.stride = std::max<std::size_t>(stride(0), 1);
  }
  std::size_t elements = 0;
  if (memory.elements() > 0)
    elements = (numbers - 1) * layout.stride + (layout.components - 1) * layout.component_stride + 1;
  auto region = make_contiguous(memory.data, elements * memory.item, memory.writable).as(memory.code());
  return {std::move(region).on(memory.device), memory.item, layout};
}

struct Field {
  Field(const PyGraph& g, const PyRequests& r, nb::handle owned_array, nb::handle copies_array, bool writes_owned)
      : owned_memory(memory_of(owned_array, writes_owned, "owned values of a graph", Where::anywhere)),
        copies_memory(memory_of(copies_array, !writes_owned, "copies of a graph", Where::anywhere)),
        owned(values_of(owned_memory, g.graph.owned(), "owned values")),
        copies(values_of(copies_memory, g.graph.wanted(), "copies")) {
    if (r.list->requests == nullptr) throw Error("This list of requests is closed. Use the list that client() gives.");
    if (r.list->transport != g.transport.get())
      throw InputError(
          "The graph has another communicator than the exchange or step manager, so its ranks would be taken for "
          "others. Make both with the same communicator.");
  }
  // The handles, and keeps the arrays alive.
  nb::tuple handles(const PyRequests& r, const GraphParts& parts, bool sends_owned) const {
    nb::list sends, receives;
    for (const auto& device : {owned_memory.device, copies_memory.device})
      if (!r.list->device) r.list->device = device;
    for (const auto& part : parts.sends) {
      r.list->kept[part.index] = {(sends_owned ? owned_memory : copies_memory).keeper};
      sends.append(PyPart<SendPart>{part, r.list->id});
    }
    for (const auto& part : parts.receives) {
      r.list->kept[part.index] = {(sends_owned ? copies_memory : owned_memory).keeper};
      receives.append(PyPart<ReceivePart>{part, r.list->id});
    }
    return nb::make_tuple(sends, receives);
  }
  Memory owned_memory, copies_memory;
  Values owned, copies;
};

nb::tuple to_copies(const PyGraph& g, const PyRequests& r, Key key, nb::handle owned, nb::handle copies, int round) {
  const Field field(g, r, owned, copies, false);
  return field.handles(r, g.graph.to_copies(*r.list->requests, key, field.owned, field.copies, round), true);
}

nb::tuple to_owners(const PyGraph& g, const PyRequests& r, Key key, nb::handle copies, nb::handle owned,
                    const std::optional<std::string>& combine, ReceiveOptions options) {
  const Field field(g, r, owned, copies, true);
  if (combine) options.combine = combine_of(*combine, field.owned_memory);
  return field.handles(r, g.graph.to_owners(*r.list->requests, key, field.copies, field.owned, options), false);
}

/// weft.GraphExchange.
class PyGraphExchange : public OwnExchange {
 public:
  PyGraphExchange(const PyGraph& g, const nb::args& fields, GraphFlow flow, const std::optional<std::string>& combine,
                  const Options& options)
      : OwnExchange("A graph's exchange", "exchange") {
    auto core = std::make_shared<ExchangeCore>(g.transport, options);
    const PyRequests client{core->client("graph")};
    convert_together(*g.transport, [&] {
      for (Key key = 0; const auto given : fields) {
        nb::list field;
        auto how = combine;
        if (nb::isinstance<nb::tuple>(given) || nb::isinstance<nb::list>(given)) field = nb::list(given);
        if (field.size() != 2 && (field.size() != 3 || !nb::try_cast(field[2], how)))
          throw InputError("Field " + std::to_string(key) +
                           " of a graph's exchange is no tuple (owned, copies) or (owned, copies, combine). Give a "
                           "tuple for each field, such as GraphExchange(graph, (u, u_copies)).");
        if (flow == GraphFlow::to_copies && field.size() == 3 && how)
          throw InputError("Field " + std::to_string(key) +
                           " of a graph's exchange has a combine, but copies get their owners' values. Use "
                           "flow='to_owners'.");
        if (flow == GraphFlow::to_copies)
          to_copies(g, client, key++, field[0], field[1], 0);
        else
          to_owners(g, client, key++, field[1], field[0], how, {});
      }
    });
    commit(std::move(core));
  }
};

void bind_graph_exchange(nb::module_& m) {
  nb::class_<PyGraphExchange>(m, "GraphExchange", R"(A graph with an exchange of its own.

For programs that communicate nothing else meanwhile.

Parameters
----------
graph : Graph
*fields : tuple of arrays
    ``(owned, copies)``, as for ``Graph.to_copies()``, or ``(owned, copies, combine)``. The arrays are used in place and
    kept alive.
flow : {'to_copies', 'to_owners'}
    Copies get the values of their owners, or owners get the copies, which are combined with their own values.
combine : {'sum', 'minimum', 'maximum'} or None
    With ``to_owners``, of fields that have none: as for ``Graph.to_owners()``.
**options
    As for ``Exchange``: progress, grouping, shared_memory, timeline and so on.

Raises
------
Error
    On all ranks, if an array is wrong on some rank, or if the fields differ between ranks.

Notes
-----
Construction and ``close()`` are collective. Between ``start()`` and ``finish()`` the program must not use what is
received (copies, or owned values that others want), nor change what is sent. One thread at a time may call it. A
failure is final, as of an ``Exchange``.

Examples
--------
>>> fill = weft.GraphExchange(graph, (u, u_copies))
>>> with fill.start():
...     compute_interior()           # fill.progress() now and then
>>> compute_edge()                   # the copies have the owners' values
>>> add = weft.GraphExchange(graph, (f, f_copies), flow="to_owners"))")
      .def(
          "__init__",
          [](PyGraphExchange* self, const PyGraph& graph, nb::args fields, nb::kwargs keywords) {
            nb::dict left;
            left.update(keywords);
            std::string flow = "to_copies";
            std::optional<std::string> combine = "sum";
            take(left, "flow", flow);
            take(left, "combine", combine);
            if (flow != "to_copies" && flow != "to_owners")
              throw InputError("Unknown flow '" + flow + "'. Use to_copies or to_owners.");
            Options options;
            options.take(left, "GraphExchange");
            new (self) PyGraphExchange(graph, fields, flow == "to_copies" ? GraphFlow::to_copies : GraphFlow::to_owners,
                                       combine, options);
          },
          nb::arg("graph"), nb::arg("fields"), nb::arg("options"),
          nb::sig("def __init__(self, graph: Graph, *fields: tuple[object, object] | "
                  "tuple[object, object, " WEFT_REDUCTION " | None], "
                  "flow: typing.Literal['to_copies', 'to_owners'] = 'to_copies', "
                  "combine: " WEFT_REDUCTION " | None = 'sum', " WEFT_OPTIONS ") -> None"))
      .def(
          "start",
          [](nb::handle_t<PyGraphExchange> self, nb::object stream) {
            nb::cast<PyGraphExchange&>(self).start(0, std::move(stream));
            return nb::borrow(self);
          },
          nb::kw_only(), nb::arg("stream") = nb::none(),
          nb::sig("def start(self, *, " WEFT_STREAM ") -> GraphExchange"),
          R"(Send the values that other ranks need. From now on weft may overwrite the values that are received.

Parameters
----------
stream : stream, optional
    Of arrays in memory of a device, as for ``Exchange.start()``.

Returns
-------
GraphExchange
    The exchange itself: ``with exchange.start():`` finishes at the end of the block, and fails on all ranks if an
    exception leaves it.)")
      .def(OwnExchangeMethods{"def __enter__(self) -> GraphExchange"})
      .def("describe", &PyGraphExchange::describe, "Return a text for the user: the messages.")
      .def(Repr([](const PyGraphExchange& e) {
        const auto text = e.describe();
        return text.empty() ? "closed" : first_line(text);
      }));
}

void bind_matrix_graph(nb::module_& m) {
  nb::class_<PyMatrixGraph>(m, "MatrixGraph", R"(The graph of a sparse matrix of which each rank has some rows.

A vector for the matrix holds the rank's owned values, in the order of ``owned``, and behind them the copies of other
ranks' values, sorted by owner and number.

Parameters
----------
owned : array of int
    The global numbers of this rank's rows.
row_starts : array of int
    ``indptr`` of a CSR matrix: where each row begins in ``columns``, and the end of the last.
columns : array of int
    ``indices`` of a CSR matrix: global numbers.
comm : communicator of mpi4py, int or None
    The ranks; None: all ranks.

Raises
------
Error
    On all ranks, if a column is no rank's number, if a number is owned twice, or if the starts are wrong.

Notes
-----
Construction is collective. Multiply the rows of ``interior`` while the copies are in flight, those of ``edge``
afterwards.

Examples
--------
>>> rows = weft.MatrixGraph(owned, A.indptr, A.indices)     # A: scipy.sparse, global columns
>>> x = numpy.zeros(len(owned) + len(rows.copies))
>>> local = scipy.sparse.csr_matrix((A.data, rows.columns, A.indptr), shape=(len(owned), len(x)))
>>> exchange = weft.GraphExchange(rows.graph, (x[:len(owned)], x[len(owned):])))")
      .def(
          "__init__",
          [](PyMatrixGraph* self, nb::object owned, nb::object row_starts, nb::object columns, nb::object comm) {
            check_not_ended();
            const auto transport = transport_of(comm);
            std::array<nb::object, 3> keep;
            std::array<std::span<const std::uint64_t>, 3> lists;
            convert_together(*transport, [&] {
              lists[0] = numbers_of(owned, "owned numbers", keep[0]);
              lists[1] = numbers_of(row_starts, "starts of rows", keep[1]);
              lists[2] = numbers_of(columns, "columns", keep[2]);
            });
            std::optional<MatrixGraph> made;
            {
              const nb::gil_scoped_release released;
              made.emplace(*transport, lists[0], std::vector<std::size_t>(lists[1].begin(), lists[1].end()), lists[2]);
            }
            new (self) PyMatrixGraph{nullptr, array_of(made->copies, "uint64"), array_of(made->columns, "int64"),
                                     array_of(made->interior, "int64"), array_of(made->edge, "int64")};
            self->graph = std::make_shared<PyGraph>(PyGraph{transport, std::move(made->graph)});
          },
          nb::arg("owned").none(), nb::arg("row_starts").none(), nb::arg("columns").none(),
          nb::arg("comm") = nb::none(),
          nb::sig("def __init__(self, owned: numpy.typing.ArrayLike, row_starts: numpy.typing.ArrayLike, "
                  "columns: numpy.typing.ArrayLike, comm: typing.Any = None) -> None"))
      .def_prop_ro(
          "graph", [](const PyMatrixGraph& g) { return *g.graph; }, "The Graph of ``owned`` and ``copies``.")
      .def_ro("copies", &PyMatrixGraph::copies, nb::sig("def copies(self) -> numpy.typing.NDArray[numpy.uint64]"),
              "The global numbers of the copies.")
      .def_ro("columns", &PyMatrixGraph::columns, nb::sig("def columns(self) -> numpy.typing.NDArray[numpy.int64]"),
              "The local columns.")
      .def_ro("interior", &PyMatrixGraph::interior, nb::sig("def interior(self) -> numpy.typing.NDArray[numpy.int64]"),
              "The rows all of whose columns are owned.")
      .def_ro("edge", &PyMatrixGraph::edge, nb::sig("def edge(self) -> numpy.typing.NDArray[numpy.int64]"),
              "The other rows.")
      .def(Repr([](const PyMatrixGraph& g) {
        return counted(nb::len(g.interior), "interior row") + ", " + counted(nb::len(g.edge), "edge row");
      }));
}

}  // namespace

void bind_graph(nb::module_& m) {
  nb::class_<PyGraph>(m, "Graph", R"(Who sends what to whom, from global numbers.

Each rank names the numbers that it owns, and those of which it wants copies: in any order and distribution, with any
gaps. ``to_copies()`` and ``to_owners()`` list the parts of an exchange.

Parameters
----------
owned, wanted : array of int
    Numbers from 0 to 2**64 - 1. Each has one owner; ``wanted`` may repeat numbers, and hold own ones.
comm : communicator of mpi4py, int or None
    The ranks; None: all ranks.

Raises
------
Error
    On all ranks, if nobody owns a wanted number, or if a number is owned twice; it names number and ranks.
InputError
    If the numbers are no integers, or negative.

Notes
-----
Construction is collective. No rank holds all numbers.

Examples
--------
>>> graph = weft.Graph(owned, wanted)
>>> exchange = weft.Exchange()
>>> graph.to_copies(exchange.client("u"), 1, u, u_copies)   # u_copies[j]: the owner's value of wanted[j]
>>> exchange.commit()
>>> with exchange.start() as messages:
...     messages.ready_all())")
      .def(
          "__init__",
          [](PyGraph* self, nb::object owned, nb::object wanted, nb::object comm) {
            check_not_ended();
            const auto transport = transport_of(comm);
            std::array<nb::object, 2> keep;
            std::array<std::span<const std::uint64_t>, 2> lists;
            convert_together(*transport, [&] {
              lists[0] = numbers_of(owned, "owned numbers", keep[0]);
              lists[1] = numbers_of(wanted, "wanted numbers", keep[1]);
            });
            Graph made;
            {
              const nb::gil_scoped_release released;
              made = Graph(*transport, lists[0], lists[1]);
            }
            new (self) PyGraph{transport, std::move(made)};
          },
          nb::arg("owned").none(), nb::arg("wanted").none(), nb::arg("comm") = nb::none(),
          nb::sig("def __init__(self, owned: numpy.typing.ArrayLike, wanted: numpy.typing.ArrayLike, "
                  "comm: typing.Any = None) -> None"))
      .def(
          "to_copies",
          [](const PyGraph& g, const PyRequests& r, Key key, nb::object owned, nb::object copies, int round) {
            return to_copies(g, r, key, owned, copies, round);
          },
          nb::arg("requests"), nb::arg("key"), nb::arg("owned"), nb::arg("copies"), nb::kw_only(), nb::arg("round") = 0,
          nb::sig("def to_copies(self, requests: Requests, key: int, owned: object, copies: object, *, round: int = 0) "
                  "-> tuple[list[SendPart], list[ReceivePart]]"),
          R"(List the parts that send values from owners to copies.

Parameters
----------
requests : Requests
    Of an exchange or a step manager with the same communicator.
key : int
    The client's number for these parts, the same on all ranks.
owned, copies : array
    A value per owned number, and one per wanted number; a second axis holds components. The memory order of ``copies``
    is the same on all ranks.
round : int
    The round in which they are sent.

Returns
-------
tuple
    The sends by ``readers``, and the receives by ``owners``.)")
      .def(
          "to_owners",
          [](const PyGraph& g, const PyRequests& r, Key key, nb::object copies, nb::object owned,
             const std::optional<std::string>& combine, bool in_any_order, int round) {
            return to_owners(g, r, key, copies, owned, combine, {.round = round, .in_any_order = in_any_order});
          },
          nb::arg("requests"), nb::arg("key"), nb::arg("copies"), nb::arg("owned"), nb::arg("combine").none() = "sum",
          nb::kw_only(), nb::arg("in_any_order") = false, nb::arg("round") = 0,
          nb::sig("def to_owners(self, requests: Requests, key: int, copies: object, owned: object, "
                  "combine: " WEFT_REDUCTION " | None = 'sum', *, in_any_order: bool = False, round: int = 0) "
                  "-> tuple[list[SendPart], list[ReceivePart]]"),
          R"(List the parts that send copies to their owners, which combine them with their values, as in the assembly of
finite elements.

Parameters
----------
requests, key, copies, owned, round
    As for ``to_copies()``; the key is another one.
combine : {'sum', 'minimum', 'maximum'} or None
    None: a copy replaces the owner's value, and only one rank may have copies of a number.
in_any_order : bool
    Whether copies may be combined as they arrive. Otherwise in the order of ranks: sums have the same bits in every run.

Returns
-------
tuple
    The sends by ``owners``, and the receives by ``readers``.)")
      .def_prop_ro(
          "readers", [](const PyGraph& g) { return neighbours(g.graph.readers()); },
          nb::sig("def readers(self) -> list[tuple[int, numpy.typing.NDArray[numpy.int64]]]"),
          "The ranks that want numbers of this rank, and the positions of these numbers in ``owned``.")
      .def_prop_ro(
          "owners", [](const PyGraph& g) { return neighbours(g.graph.owners()); },
          nb::sig("def owners(self) -> list[tuple[int, numpy.typing.NDArray[numpy.int64]]]"),
          "The ranks whose numbers this rank wants, and the positions of these numbers in ``wanted``.")
      .def(Repr([](const PyGraph& g) {
        return counted(g.graph.owned(), "owned number") + ", " + counted(g.graph.wanted(), "wanted number") + ", " +
               counted(g.graph.readers().size(), "reader") + ", " + counted(g.graph.owners().size(), "owner");
      }));
  bind_graph_exchange(m);
  bind_matrix_graph(m);
}

}  // namespace weft::python
