// SPDX-License-Identifier: BSD-3-Clause
#include "view/picture.hpp"

#include <turbojpeg.h>

#include <memory>

#include "weft/error.hpp"

namespace weft::view {

std::string encode(const Picture& picture, int quality) {
  const auto pixels = static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height);
  if (picture.width < 1 || picture.height < 1 || picture.rgb.size() != 3 * pixels) {
    throw Error("The size of a picture differs from its number of pixels. Give three bytes per pixel.");
  }
  const std::unique_ptr<void, int (*)(void*)> jpeg(tjInitCompress(), tjDestroy);
  unsigned char* made = nullptr;
  unsigned long bytes = 0;
  // Full colour resolution, since the colours carry the information.
  const int status = jpeg == nullptr ? -1
                                     : tjCompress2(jpeg.get(), picture.rgb.data(), picture.width, 0, picture.height,
                                                   TJPF_RGB, &made, &bytes, TJSAMP_444, quality, 0);
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(made, tjFree);
  if (status != 0)
    throw Error(std::string("A picture could not be encoded as JPEG (") + tjGetErrorStr2(jpeg.get()) + ").");
  std::string message;
  message.reserve(8 + bytes);
  for (int byte = 0; byte < 8; ++byte) {
    message.push_back(static_cast<char>(static_cast<std::uint64_t>(picture.step) >> (8 * byte) & 0xff));
  }
  message.append(reinterpret_cast<const char*>(made), bytes);
  return message;
}

}  // namespace weft::view
