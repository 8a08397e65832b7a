// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Scatter final : public WithBuffers {
 public:
  Scatter(const Group& group, std::size_t count) : WithBuffers(group, count) {
    if (root()) in_ = room(count_ * group_.size);
    out_ = room(count_);
  }
  void fill() override {
    for (int r = 0; r < group_.size; ++r) {
      if (root()) put(in_, r * count_, count_, 0, r);
    }
    forget(out_);
  }
  bool right() const override { return has(out_, 0, count_, 0, group_.rank); }
  WEFT_BENCH_CALLS(Scatter, Iscatter)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), count_, MPI_DOUBLE, out_.data(), count_, MPI_DOUBLE, 0, group_.comm, more...);
  }
};

}  // namespace

Entry scatter_entry() { return entry<Scatter>("scatter"); }

}  // namespace weft::bench::collectives
