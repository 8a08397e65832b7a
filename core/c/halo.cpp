// SPDX-License-Identifier: BSD-3-Clause
//
// Grids, halos and their exchanges.
#include "weft/halo/halo.hpp"

#include <algorithm>

#include "c/objects.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/halo/halo_exchange.hpp"

namespace weft::c {

struct HaloExchangeObject {
  HaloExchangeObject(Transport& transport, const Halo& halo, const weft_exchange_options& options)
      : timeline(share_if(options.timeline)), exchange(transport, halo, exchange_options(options)) {}
  std::shared_ptr<Timeline> timeline;
  HaloExchange exchange;
};

namespace {

weft_points points_of(const Box& box) {
  weft_points points;
  std::copy(box.first.begin(), box.first.end(), points.first);
  std::copy(box.count.begin(), box.count.end(), points.count);
  return points;
}

int checked_rank(const CartesianGrid& grid, int rank) {
  if (rank < 0 || rank >= grid.ranks())
    throw Error("The grid has no rank " + std::to_string(rank) + " (there are " + std::to_string(grid.ranks()) + ").");
  return rank;
}

Field field_of(const weft_field& given) {
  const auto of = options_of<weft_field>(&given, "weft_field");
  Field field;
  field.data = static_cast<std::byte*>(of.data);
  if (of.moves == 0) need(of.data, "The memory of a field");
  field.element_bytes = element_bytes(of.type);
  field.type = element_type(of.type);
  field.components = of.components == 0 ? 1 : of.components;
  field.site_stride = of.site_stride == 0 ? 1 : of.site_stride;
  field.component_stride = of.component_stride;
  field.order = one_of(of.order, WEFT_COLUMN_MAJOR, "order") == WEFT_ROW_MAJOR ? Order::row_major : Order::column_major;
  field.layers = of.layers;
  field.pitch = of.pitch;
  if (one_of(of.reads, WEFT_READS_FACES, "choice of what is read") == WEFT_READS_FACES) field.reads = reads_faces();
  if (of.velocities != nullptr)
    for (std::size_t c = 0; c < field.components; ++c)
      field.velocities.push_back({of.velocities[c][0], of.velocities[c][1], of.velocities[c][2]});
  field.moves = of.moves != 0;
  field.device = share_if(of.device);
  if (of.name != nullptr) field.name = of.name;
  return field;
}

}  // namespace
}  // namespace weft::c

using namespace weft::c;

int weft_grid_create(weft_comm comm, int dimensions, const size_t* extent, const int* processes, const int* periodic,
                     weft_grid* grid) {
  return call(__func__, [&] {
    need(grid, "The address of the grid");
    if (dimensions < 1 || dimensions > 3)
      throw weft::Error("A grid has " + std::to_string(dimensions) + " axes. Use one to three.", true);
    need(extent, "The extent of a grid");
    weft::GridOptions options;
    options.extent.assign(extent, extent + dimensions);
    if (processes != nullptr) options.processes.assign(processes, processes + dimensions);
    for (int axis = 0; periodic != nullptr && axis < dimensions; ++axis)
      options.periodic.push_back(periodic[axis] != 0);
    *grid = handle_of<weft_grid>(std::make_shared<weft::CartesianGrid>(get(comm), options));
  });
}

int weft_grid_create_blocks(weft_comm comm, int dimensions, const int* processes, const size_t* const* lengths,
                            const int* periodic, weft_grid* grid) {
  return call(__func__, [&] {
    need(grid, "The address of the grid");
    need(processes, "The processes of a grid"), need(lengths, "The lengths of a grid's blocks");
    if (dimensions < 1 || dimensions > 3)
      throw weft::Error("A grid has " + std::to_string(dimensions) + " axes. Use one to three.", true);
    weft::GridOptions options;
    for (int axis = 0; axis < dimensions; ++axis) {
      if (processes[axis] < 1) throw weft::Error("A grid has an axis without processes.", true);
      options.lengths.emplace_back(need(lengths[axis], "The lengths of an axis"), lengths[axis] + processes[axis]);
      options.periodic.push_back(periodic != nullptr && periodic[axis] != 0);
    }
    *grid = handle_of<weft_grid>(std::make_shared<weft::CartesianGrid>(get(comm), options));
  });
}

int weft_grid_free(weft_grid* grid) {
  return call(__func__, [&] { take(grid); });
}

int weft_grid_block(weft_grid grid, int rank, weft_points* block) {
  return call(__func__, [&] {
    const auto& of = get(grid);
    at(block, "The address of the block") = points_of(of.block_of(checked_rank(of, rank)));
  });
}

int weft_grid_processes(weft_grid grid, int rank, int* processes, int* position) {
  return call(__func__, [&] {
    const auto& of = get(grid);
    const auto place = of.coordinates_of(checked_rank(of, rank));
    if (processes != nullptr) std::copy(of.processes().begin(), of.processes().end(), processes);
    if (position != nullptr) std::copy(place.begin(), place.end(), position);
  });
}

int weft_grid_neighbour(weft_grid grid, const int* direction, int* rank) {
  return call(__func__, [&] {
    need(direction, "The direction");
    weft::Direction towards{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      towards[axis] = direction[axis];
      if (towards[axis] < -1 || towards[axis] > 1) throw weft::Error("A direction has -1, 0 or 1 along each axis.");
    }
    at(rank, "The address of the rank") = get(grid).neighbour(towards).value_or(-1);
  });
}

int weft_halo_create(weft_grid grid, const weft_halo_options* given, weft_halo* halo) {
  return call(__func__, [&] {
    need(halo, "The address of the halo");
    const auto of = options_of<weft_halo_options>(given, "weft_halo_options");
    using Options = weft::HaloOptions;
    const Options options{
        .width = of.width == 0 ? 1 : of.width,
        .scheme = static_cast<Options::Scheme>(one_of(of.scheme, WEFT_REFERENCE, "scheme of a halo")),
        .payload = static_cast<Options::Payload>(one_of(of.payload, WEFT_REDUCED, "payload of a halo")),
        .flow = of.reverse != 0 ? Options::Flow::reverse : Options::Flow::fill};
    *halo = handle_of<weft_halo>(std::make_shared<HaloObject>(HaloObject{weft::Halo(get(grid), options), {}}));
  });
}

int weft_halo_free(weft_halo* halo) {
  return call(__func__, [&] { take(halo); });
}

int weft_halo_add(weft_halo halo, const weft_field* field, size_t* number) {
  return call(__func__, [&] { give(number, get(halo).halo.add(field_of(at(field, "The field")))); });
}

int weft_halo_add_combine(weft_halo halo, const weft_field* given, weft_op op, size_t* number) {
  return call(__func__, [&] {
    auto field = field_of(at(given, "The field"));
    field.combine = combine_of(op, given->type);
    give(number, get(halo).halo.add(field));
  });
}

int weft_halo_request(weft_halo halo, weft_requests list) {
  return call(__func__, [&] {
    const auto& of = get(halo).halo;
    of.request(at(get(list).list, "The list"));
  });
}

int weft_halo_rounds(weft_halo halo, int* rounds) {
  return call(__func__, [&] { at(rounds, "The address of the number") = get(halo).halo.rounds(); });
}

int weft_halo_interior(weft_halo halo, weft_points* interior) {
  return call(__func__, [&] { at(interior, "The address of the box") = points_of(get(halo).halo.interior()); });
}

int weft_halo_boundary(weft_halo halo, int* boxes, weft_points boundary[6]) {
  return call(__func__, [&] {
    const auto all = get(halo).halo.boundary();
    need(boundary, "The address of the boxes");
    if (all.size() > 6) throw weft::Error("The boundary of a block has more than six boxes.");
    std::transform(all.begin(), all.end(), boundary, points_of);
    at(boxes, "The address of the number") = static_cast<int>(all.size());
  });
}

int weft_halo_describe(weft_halo halo, const char** text) {
  return call(__func__, [&] {
    auto& of = get(halo);
    of.text = of.halo.describe();
    at(text, "The address of the text") = of.text.c_str();
  });
}

int weft_halo_exchange_create(weft_comm comm, weft_halo halo, const weft_exchange_options* given,
                              weft_halo_exchange* exchange) {
  return call(__func__, [&] {
    need(exchange, "The address of the halo exchange");
    const auto options = options_of<weft_exchange_options>(given, "weft_exchange_options");
    if (options.space != nullptr)
      throw weft::Error("A halo exchange has a communicator of its own. Leave `space` NULL.", true);
    *exchange = handle_of<weft_halo_exchange>(
        std::make_shared<HaloExchangeObject>(*transport_of(comm), get(halo).halo, options));
  });
}

int weft_halo_exchange_free(weft_halo_exchange* exchange) {
  return call(__func__, [&] { take(exchange); });
}

int weft_halo_exchange_start(weft_halo_exchange exchange, uint64_t buffer_index) {
  return weft_halo_exchange_start_queue(exchange, buffer_index, {});
}

int weft_halo_exchange_start_queue(weft_halo_exchange exchange, uint64_t buffer_index, weft_queue queue) {
  return call("weft_halo_exchange_start", [&] {
    auto& of = get(exchange);
    check_mpi();
    of.exchange.start(queue_of(queue), buffer_index);
  });
}

int weft_halo_exchange_progress(weft_halo_exchange exchange) {
  return call(__func__, [&] { get(exchange).exchange.progress(); });
}

int weft_halo_exchange_finish(weft_halo_exchange exchange) { return weft_halo_exchange_finish_queue(exchange, {}); }

int weft_halo_exchange_finish_queue(weft_halo_exchange exchange, weft_queue queue) {
  return call("weft_halo_exchange_finish", [&] {
    auto& of = get(exchange);
    check_mpi();
    of.exchange.finish(queue_of(queue));
  });
}

int weft_halo_exchange_rebind(weft_halo_exchange exchange, size_t field, void* data) {
  return call(__func__,
              [&] { get(exchange).exchange.rebind(field, static_cast<std::byte*>(need(data, "The field"))); });
}

int weft_halo_exchange_fail(weft_halo_exchange exchange, const char* why) {
  return call(__func__, [&] { get(exchange).exchange.fail(text_at(why, "The reason")); });
}

int weft_halo_exchange_has_failed(weft_halo_exchange exchange, int* failed) {
  return call(__func__, [&] { at(failed, "The address of the answer") = get(exchange).exchange.has_failed(); });
}
