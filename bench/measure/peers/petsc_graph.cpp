// SPDX-License-Identifier: BSD-3-Clause
//
// `weft bench graph` with PETSc's star forest (PetscSF) as another subject, in the same run. `weft bench graph` starts
// this program if it is beside weft-bench. The set-up begins with the global numbers: PetscSFSetGraphLayout where the
// ranks own ranges, PetscSFCreateByMatchingIndices otherwise.
//
//   petsc_graph [--quick] [--seconds S] [--json FILE]
#include <mpi.h>
#include <petscsf.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "bench/graph/graph.hpp"
#include "weft/error.hpp"
#include "weft/mpi/main.hpp"

namespace weft::bench {
namespace {

void check(PetscErrorCode error) {
  if (error) throw Error("PETSc reports error " + std::to_string(static_cast<int>(error)) + ".");
}

class PetscGraph final : public GraphSubject {
 public:
  PetscGraph(MPI_Comm comm, PetscSFType type, const GraphProblem& problem, GraphArrays& arrays)
      : owned_(arrays.owned.data()), copies_(arrays.copies.data()) {
    const std::vector<PetscInt> wanted(problem.wanted.begin(), problem.wanted.end());
    const auto leaves = static_cast<PetscInt>(wanted.size()), roots = static_cast<PetscInt>(problem.owned.size());
    PetscLayout layout = nullptr;
    check(PetscLayoutCreate(comm, &layout));
    if (problem.in_ranges) {
      check(PetscLayoutSetLocalSize(layout, roots));
      check(PetscLayoutSetUp(layout));
      check(PetscSFCreate(comm, &forest_));
      check(PetscSFSetType(forest_, type));
      check(PetscSFSetGraphLayout(forest_, layout, leaves, nullptr, PETSC_OWN_POINTER, wanted.data()));
    } else {
      const std::vector<PetscInt> owned(problem.owned.begin(), problem.owned.end());
      PetscInt last = 0;
      for (const auto* list : {&owned, &wanted})
        if (!list->empty()) last = std::max(last, *std::ranges::max_element(*list));
      MPI_Allreduce(MPI_IN_PLACE, &last, 1, MPIU_INT, MPI_MAX, comm);
      check(PetscLayoutSetSize(layout, last + 1));
      check(PetscLayoutSetUp(layout));
      check(PetscSFCreateByMatchingIndices(layout, roots, owned.data(), nullptr, 0, leaves, wanted.data(), nullptr, 0,
                                           nullptr, &forest_));
      check(PetscSFSetType(forest_, type));
    }
    check(PetscSFSetUp(forest_));
    check(PetscLayoutDestroy(&layout));
  }
  ~PetscGraph() override { PetscCallAbort(PETSC_COMM_SELF, PetscSFDestroy(&forest_)); }
  void to_copies() override {
    check(PetscSFBcastBegin(forest_, MPI_DOUBLE, owned_, copies_, MPI_REPLACE));
    check(PetscSFBcastEnd(forest_, MPI_DOUBLE, owned_, copies_, MPI_REPLACE));
  }
  void to_owners() override {
    check(PetscSFReduceBegin(forest_, MPI_DOUBLE, copies_, owned_, MPI_SUM));
    check(PetscSFReduceEnd(forest_, MPI_DOUBLE, copies_, owned_, MPI_SUM));
  }

 private:
  PetscSF forest_ = nullptr;
  double *owned_, *copies_;
};

GraphBenchOptions options_of(int argc, char** argv) {
  GraphBenchOptions options;
  for (int k = 1; k < argc; ++k) {
    const std::string_view word(argv[k]);
    if (word == "--quick")
      options.quick = true;
    else if (word == "--seconds" && k + 1 < argc)
      options.seconds = std::atof(argv[++k]);
    else if (word == "--json" && k + 1 < argc)
      options.json = argv[++k];
    else
      throw InputError("Wrong options. Use --quick, --seconds S and --json FILE.", true);
  }
  return options;
}

int program(mpi::Communicator& world, const GraphBenchOptions& options) {
  check(PetscInitializeNoArguments());
  std::vector<GraphMaker> makers;
  for (const auto* type : {PETSCSFBASIC, PETSCSFNEIGHBOR})
    makers.push_back(
        {std::string("PETSc ") + type, "PETSc", [&world, type](const GraphProblem& problem, GraphArrays& arrays) {
           return std::make_unique<PetscGraph>(world.handle(), type, problem, arrays);
         }});
  graph(world, options, makers);
  makers.clear();
  check(PetscFinalize());
  return 0;
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  const auto run = [&](weft::mpi::Communicator& world) {
    return weft::bench::program(world, weft::bench::options_of(argc, argv));
  };
  return weft::main(argc, argv, run, false);  // no MPI calls from other threads: MPI takes no locks
}
