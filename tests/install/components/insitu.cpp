// SPDX-License-Identifier: BSD-3-Clause
#include <insitu/drawing.hpp>

int main() {
  const weft::insitu::Image image{2, 1, {255, 0, 0, 0, 0, 255}};
  return weft::insitu::png_bytes(image).substr(1, 3) == "PNG" ? 0 : 1;
}
