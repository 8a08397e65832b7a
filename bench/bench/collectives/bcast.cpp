// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Bcast final : public WithBuffers {
 public:
  Bcast(const Group& group, std::size_t count) : WithBuffers(group, count) { out_ = room(count_); }
  void fill() override {
    forget(out_);
    if (root()) put(out_, 0, count_, 0, 0);
  }
  bool right() const override { return has(out_, 0, count_, 0, 0); }
  WEFT_BENCH_CALLS(Bcast, Ibcast)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(out_.data(), count_, MPI_DOUBLE, 0, group_.comm, more...);
  }
};

}  // namespace

Entry bcast_entry() { return entry<Bcast>("bcast"); }

}  // namespace weft::bench::collectives
