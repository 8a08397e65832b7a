// SPDX-License-Identifier: BSD-3-Clause
//
// An exception of the library, an exchange, and the version that is linked.
#include <weft_commit.h>

#include <cstdio>
#include <span>
#include <string>
#include <weft/error.hpp>
#include <weft/exchange/exchange.hpp>
#include <weft/file/read_text.hpp>
#include <weft/mpi/main.hpp>
#include <weft/version.hpp>

int main(int argc, char** argv) {
  bool caught = false;
  try {
    weft::read_text("no such file", "");
  } catch (const weft::InputError&) {
    caught = true;
  }
  const auto& info = weft::build_info();
  std::printf("weft %s %s, %s, %s, %s\n", info.version, info.commit, info.mpi, info.compiler, info.options);
  if (!caught || info.version != std::string(WEFT_VERSION) || info.commit != std::string(WEFT_COMMIT)) return 1;

  return weft::main(argc, argv, [](weft::mpi::Communicator& world) {
    const int mine = world.rank();
    int from_left = -1;
    weft::Exchange exchange(world);
    auto& ring = exchange.client("ring");
    const auto out = ring.send((mine + 1) % world.size(), 1, weft::contiguous(std::span(&mine, 1)));
    ring.receive((mine + world.size() - 1) % world.size(), 1, weft::contiguous(std::span(&from_left, 1)));
    exchange.commit();
    auto messages = exchange.start();
    messages.ready(out);
    messages.wait();
    return from_left == (mine + world.size() - 1) % world.size() ? 0 : 1;
  });
}
