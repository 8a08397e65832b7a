// SPDX-License-Identifier: BSD-3-Clause
//
// Graphs of global numbers.
#include "weft/graph/graph.hpp"

#include <algorithm>

#include "c/objects.hpp"
#include "weft/graph/matrix_graph.hpp"

namespace weft::c {

struct GraphObject {
  Graph graph;
};

namespace {

template <class T>
std::span<const T> numbers_at(const T* numbers, std::size_t count, const char* what) {
  if (count > 0) need(numbers, what);
  return {numbers, count};
}

Values values_of(const weft_values* given, bool is_sent) {
  const auto of = options_of<weft_values>(need(given, "The values of a graph"), "weft_values");
  const ValueLayout layout{.components = of.components == 0 ? 1 : of.components,
                           .stride = of.stride,
                           .component_stride = of.component_stride == 0 ? 1 : of.component_stride};
  return {region_of(weft_contiguous(of.data, of.count, of.type), is_sent), element_bytes(of.type), layout};
}

void give_parts(const GraphParts& listed, weft_part* parts) {
  if (parts == nullptr) return;
  for (const auto part : listed.sends) *parts++ = part_of(part, Request::Kind::send);
  for (const auto part : listed.receives) *parts++ = part_of(part, Request::Kind::receive);
}

}  // namespace
}  // namespace weft::c

using namespace weft::c;

int weft_graph_create(weft_comm comm, size_t owned_count, const uint64_t* owned, size_t wanted_count,
                      const uint64_t* wanted, weft_graph* graph) {
  return call(__func__, [&] {
    need(graph, "The address of the graph");
    const auto own = numbers_at(owned, owned_count, "The list of owned numbers");
    const auto want = numbers_at(wanted, wanted_count, "The list of wanted numbers");
    *graph =
        handle_of<weft_graph>(std::make_shared<GraphObject>(GraphObject{weft::Graph(*transport_of(comm), own, want)}));
  });
}

int weft_graph_create_matrix(weft_comm comm, size_t owned_count, const uint64_t* owned, const size_t* row_starts,
                             const uint64_t* columns, uint32_t* local_columns, uint32_t* rows, size_t* interior,
                             size_t* copies, weft_graph* graph) {
  return call(__func__, [&] {
    need(graph, "The address of the graph");
    const auto own = numbers_at(owned, owned_count, "The list of owned numbers");
    const auto starts = numbers_at(row_starts, owned_count + 1, "The list of the starts of rows");
    const auto global = numbers_at(columns, starts.back(), "The list of columns");
    if (!global.empty()) need(local_columns, "The list of local columns");
    if (owned_count > 0) need(rows, "The list of rows");
    weft::MatrixGraph matrix(*transport_of(comm), own, starts, global);
    std::ranges::copy(matrix.columns, local_columns);
    std::ranges::copy(matrix.edge, std::ranges::copy(matrix.interior, rows).out);
    give(interior, matrix.interior.size());
    give(copies, matrix.copies.size());
    *graph = handle_of<weft_graph>(std::make_shared<GraphObject>(GraphObject{std::move(matrix.graph)}));
  });
}

int weft_graph_free(weft_graph* graph) {
  return call(__func__, [&] { take(graph); });
}

int weft_graph_neighbours(weft_graph graph, size_t* readers, size_t* owners) {
  return call(__func__, [&] {
    const auto& of = get(graph).graph;
    give(readers, of.readers().size());
    give(owners, of.owners().size());
  });
}

int weft_graph_to_copies(weft_graph graph, weft_requests list, uint64_t key, const weft_values* owned,
                         const weft_values* copies, int round, weft_part* parts) {
  return call(__func__, [&] {
    auto& requests = list_of(list);
    give_parts(get(graph).graph.to_copies(requests, key, values_of(owned, true), values_of(copies, false), round),
               parts);
  });
}

int weft_graph_to_owners(weft_graph graph, weft_requests list, uint64_t key, const weft_values* copies,
                         const weft_values* owned, weft_op op, int in_any_order, int round, weft_part* parts) {
  return call(__func__, [&] {
    auto& requests = list_of(list);
    const auto from = values_of(copies, true), to = values_of(owned, false);
    const weft::ReceiveOptions options{.combine = op == nullptr ? weft::Combine() : combine_of(op, owned->type),
                                       .round = round,
                                       .in_any_order = in_any_order != 0};
    give_parts(get(graph).graph.to_owners(requests, key, from, to, options), parts);
  });
}
