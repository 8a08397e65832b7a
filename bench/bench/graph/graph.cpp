// SPDX-License-Identifier: BSD-3-Clause
#include "bench/graph/graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "bench/graph/many.hpp"
#include "bench/shared/rotation.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

// The same measurement of all makers, in their order.
using Turns = std::vector<Timed>;

void verify(Transport& world, const GraphMaker& maker, GraphSubject& subject, const GraphProblem& problem,
            GraphArrays& arrays, std::vector<double>& sums) {
  const auto value_of = [](std::uint64_t number) { return static_cast<double>(number) + 0.5; };
  std::ranges::transform(problem.owned, arrays.owned.begin(), value_of);
  std::ranges::fill(arrays.copies, -1);
  subject.to_copies();
  bool is_right = true;
  for (std::size_t j = 0; j < problem.wanted.size(); ++j)
    is_right = is_right && arrays.copies[j] == value_of(problem.wanted[j]);
  subject.to_owners();
  if (sums.empty()) sums = arrays.owned;  // of the first subject
  is_right = is_right && arrays.owned == sums;
  if (all_reduce(world, is_right ? 1 : 0, minimum<int>()) == 0)
    throw Error("The values of graph '" + problem.name + "' are wrong after the exchanges of " + maker.name + ".",
                true);
}

// Times constructions; destructions are not timed.
Turns set_ups(Transport& world, const std::vector<GraphMaker>& makers, const GraphProblem& problem, GraphArrays& arrays,
              double seconds, std::size_t fewest) {
  Turns turns;
  for (const auto& maker : makers) turns.push_back({maker.name, {}});
  const Deadline deadline(world, seconds);
  for (std::size_t turn = 0; turn < fewest + 1 || !deadline.is_over(); ++turn)
    for (std::size_t k = 0; k < makers.size(); ++k) {
      const auto next = (turn + k) % makers.size();
      std::unique_ptr<GraphSubject> subject;
      const double took = slowest(world, [&] { subject = makers[next].make(problem, arrays); });
      if (turn > 0) turns[next].seconds.push_back(took);  // the first warms up
    }
  return turns;
}

// The fastest of a family; null if it has none.
const Timed* fastest(const std::vector<GraphMaker>& makers, const Turns& turns, const std::string& family) {
  const Timed* best = nullptr;
  for (std::size_t k = 0; k < makers.size(); ++k)
    if (makers[k].family == family && (best == nullptr || turns[k].spread().median < best->spread().median))
      best = &turns[k];
  return best;
}

class Comparison {
 public:
  Comparison(const std::vector<GraphMaker>& makers, Report& report) : makers_(makers), report_(report) {}

  void add(const std::string& problem, const std::string& part, const Turns& turns) {
    for (const auto& t : turns) report_.result(problem + ", " + part + ": " + t.name, scaled(t.spread(), 1e6), "us");
    const auto* ours = fastest(makers_, turns, "weft");
    for (const auto& [family, figure] : {std::pair("plain MPI", "graph_over_plain"), {"PETSc", "graph_over_petscsf"}}) {
      const auto* other = fastest(makers_, turns, family);
      if (other == nullptr) continue;
      const auto over = ratio(*ours, *other);
      report_.result(problem + ", " + part + ": " + ours->name + " / " + other->name, over, "");
      auto name = std::string(figure) + "_" + problem + "_" + part;
      std::ranges::replace_if(
          name, [](char c) { return c == ' ' || c == '-'; }, '_');
      report_.figure(name, over);
      raise(figure, over);
      if (family == std::string("PETSc")) raise("graph_of_messages_over_petscsf", ratio(turns.front(), *other));
    }
  }
  // What it costs to add in a fixed order.
  void add_order(const std::string& problem, const Turns& to_owners) {
    const auto cost = ratio(*fastest(makers_, to_owners, "weft"), *fastest(makers_, to_owners, "weft in any order"));
    report_.result(problem + ", to owners: fixed order / any order", cost, "");
    raise("combine_order_cost", cost);
  }
  void finish() {
    for (const auto& [figure, value] : worst_) report_.figure(figure, value);
  }

 private:
  void raise(const std::string& figure, const Spread& over) {
    if (over.median > worst_[figure].median) worst_[figure] = over;
  }

  const std::vector<GraphMaker>& makers_;
  Report& report_;
  std::map<std::string, Spread> worst_;
};

// Those that work with this library and machine.
std::vector<GraphMaker> possible(std::vector<GraphMaker> all, const GraphProblem& problem, GraphArrays& arrays,
                                 Report& report) {
  std::erase_if(all, [&](const GraphMaker& maker) {
    try {
      maker.make(problem, arrays);
      return false;
    } catch (const Error& e) {
      if (!e.everywhere()) throw;
      report.note(maker.name + " is left out: " + e.what());
      return true;
    }
  });
  return all;
}

}  // namespace

void graph(mpi::Communicator& world, const GraphBenchOptions& options, const std::vector<GraphMaker>& others) {
  Report report("graph", world, options);
  const double seconds = options.seconds_or(15, 90);
  const std::size_t fewest = options.quick ? 2 : 5;  // turns, on the slowest machine, too
  report.setting("seconds", seconds);
  auto makers = weft_graphs(world);
  makers.push_back(plain_graph(world));
  makers.insert(makers.end(), others.begin(), others.end());
  const std::vector problems{random_graph(world), stencil_graph(world), mesh_graph(world)};
  {
    GraphArrays arrays(problems.front());
    makers = possible(makers, problems.front(), arrays, report);
  }
  if (others.empty())
    report.note(
        "PETSc's star forest is left out: there is no program petsc_graph beside weft-bench. make measure builds it.");
  Comparison comparison(makers, report);
  for (const auto& problem : problems) {
    report.setting(problem.name + ", copies on rank 0", problem.wanted.size());
    GraphArrays arrays(problem);
    const double share = seconds / static_cast<double>(3 * problems.size());
    comparison.add(problem.name, "set-up", set_ups(world, makers, problem, arrays, share, fewest));
    std::vector<std::unique_ptr<GraphSubject>> subjects;
    std::vector<double> sums;
    Turns to_copies, to_owners;
    for (const auto& maker : makers) {
      auto& subject = *subjects.emplace_back(maker.make(problem, arrays));
      verify(world, maker, subject, problem, arrays, sums);
      std::ranges::fill(arrays.owned, 0);
      std::ranges::fill(arrays.copies, 0);
      to_copies.push_back({maker.name, [&subject] { subject.to_copies(); }});
      to_owners.push_back({maker.name, [&subject] { subject.to_owners(); }});
    }
    time_in_turns(world, to_copies, {.seconds = share, .fewest = fewest});
    comparison.add(problem.name, "to copies", to_copies);
    time_in_turns(world, to_owners, {.seconds = share, .fewest = fewest});
    comparison.add(problem.name, "to owners", to_owners);
    comparison.add_order(problem.name, to_owners);
  }
  comparison.finish();
  many_parts(world, report, seconds / 4);
  report.finish(world);
}

}  // namespace weft::bench
