// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Reduce final : public WithBuffers {
 public:
  Reduce(const Group& group, std::size_t count) : WithBuffers(group, count) {
    in_ = room(count_);
    out_ = room(count_);
  }
  void fill() override {
    put(in_, 0, count_, group_.rank, 0);
    forget(out_);
  }
  bool right() const override { return !root() || has_sums(out_, count_, 0, group_.size, 0); }
  WEFT_BENCH_CALLS(Reduce, Ireduce)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), out_.data(), count_, MPI_DOUBLE, MPI_SUM, 0, group_.comm, more...);
  }
};

}  // namespace

Entry reduce_entry() { return entry<Reduce>("reduce"); }

}  // namespace weft::bench::collectives
