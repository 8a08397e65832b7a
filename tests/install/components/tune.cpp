// SPDX-License-Identifier: BSD-3-Clause
#include <weft/tune/halving.hpp>

int main() {
  weft::Halving halving(2);
  while (!halving.done()) halving.record(halving.next() == 1 ? 1.0 : 2.0);
  return halving.best() == 1 ? 0 : 1;
}
