// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/known_data.hpp"

namespace weft::bench::collectives {
namespace {

class Scan final : public WithBuffers {
 public:
  Scan(const Group& group, std::size_t count) : WithBuffers(group, count) {
    in_ = room(count_);
    out_ = room(count_);
  }
  void fill() override {
    put(in_, 0, count_, group_.rank, 0);
    forget(out_);
  }
  bool right() const override { return has_sums(out_, count_, 0, group_.rank + 1, 0); }
  WEFT_BENCH_CALLS(Scan, Iscan)

 private:
  template <class Function, class... More>
  int with(Function function, More... more) {
    return function(in_.data(), out_.data(), count_, MPI_DOUBLE, MPI_SUM, group_.comm, more...);
  }
};

}  // namespace

Entry scan_entry() { return entry<Scan>("scan"); }

}  // namespace weft::bench::collectives
