// SPDX-License-Identifier: BSD-3-Clause
#include "program/await_root.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <span>
#include <thread>

#include "weft/transport/collectives.hpp"
#include "weft/transport/timeout.hpp"

namespace weft::program {

namespace {

class WithoutLimit {
 public:
  WithoutLimit() : before_(timeout().limit()) { timeout().set_limit(0); }
  ~WithoutLimit() { timeout().set_limit(before_); }
  WithoutLimit(const WithoutLimit&) = delete;
  WithoutLimit& operator=(const WithoutLimit&) = delete;

 private:
  double before_;
};

}  // namespace

void await_root(Transport& world, const std::function<void()>& action) {
  std::array<std::byte, 1> word{};
  const auto done = world.collective({.kind = Collective::Kind::broadcast, .out = std::span(word), .root = 0});
  together(world, [&] {
    std::exception_ptr thrown;
    try {
      if (world.rank() == 0) action();
    } catch (...) {
      thrown = std::current_exception();
    }
    const WithoutLimit patient;
    done->start();
    while (!done->test()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (thrown) std::rethrow_exception(thrown);
  });
}

}  // namespace weft::program
