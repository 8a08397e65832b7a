// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Gather final : public WithBuffers {
 public:
  Gather(const Group& group, std::size_t count) : WithBuffers(group, count) {
    in_ = room(count_);
    if (root()) out_ = room(count_ * group_.size);
  }
  void fill() override {
    put(in_, 0, count_, group_.rank, 0);
    forget(out_);
  }
  bool right() const override {
    for (int r = 0; r < group_.size; ++r) {
      if (root() && !has(out_, r * count_, count_, r, 0)) return false;
    }
    return true;
  }
  WEFT_BENCH_CALLS(Gather, Igather)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), count_, MPI_DOUBLE, out_.data(), count_, MPI_DOUBLE, 0, group_.comm, more...);
  }
};

}  // namespace

Entry gather_entry() { return entry<Gather>("gather"); }

}  // namespace weft::bench::collectives
