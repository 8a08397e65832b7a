// SPDX-License-Identifier: BSD-3-Clause
#include <amr/files/amr_writer.hpp>  // needs a library that is not a component
#include <amr/tree.hpp>
#include <array>

int main() {
  const weft::amr::Domain domain{.blocks = {2, 2, 2}};
  const std::array refined{weft::amr::BlockKey{}};
  const weft::amr::Tree tree(domain, refined, 1);
  return tree.levels() == 2 && tree.blocks() == 16 ? 0 : 1;
}
