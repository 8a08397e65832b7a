// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Allreduce final : public WithBuffers {
 public:
  Allreduce(const Group& group, std::size_t count) : WithBuffers(group, count) {
    in_ = room(count_);
    out_ = room(count_);
  }
  void fill() override {
    put(in_, 0, count_, group_.rank, 0);
    forget(out_);
  }
  bool right() const override { return has_sums(out_, count_, 0, group_.size, 0); }
  std::optional<Collective> collective() override {
    return Collective::all_reduce(std::span<const double>(in_), std::span<double>(out_), sum<double>());
  }
  WEFT_BENCH_CALLS(Allreduce, Iallreduce)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), out_.data(), count_, MPI_DOUBLE, MPI_SUM, group_.comm, more...);
  }
};

}  // namespace

Entry allreduce_entry() { return entry<Allreduce>("allreduce", true, false, true); }

}  // namespace weft::bench::collectives
