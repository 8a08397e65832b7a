// SPDX-License-Identifier: BSD-3-Clause
#include "pack/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "weft/error.hpp"
#include "weft/file/read_whole.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {
namespace {

constexpr const char* input_advice = "Give readable files.";

}  // namespace

Input::Input(std::vector<std::string> files) {
  for (auto& name : files) {
    File file{.name = std::move(name), .from = bytes_};
    if (file.name == "-") {
      plain_ = false;
    } else {
      std::error_code error;
      const auto status = std::filesystem::status(file.name, error);
      if (std::filesystem::is_directory(status))
        throw cannot_read(file.name, std::strerror(EISDIR), "Give files, or pipe tar into weft pack -.");
      if (::access(file.name.c_str(), R_OK) != 0) throw cannot_read(file.name, std::strerror(errno), input_advice);
      if (std::filesystem::is_regular_file(status))
        file.bytes = std::filesystem::file_size(file.name);
      else
        plain_ = false;
    }
    const auto access = access_of(file.name);
    if (access) access_ = access_ ? *access_ & *access : *access;
    bytes_ += file.bytes;
    files_.push_back(std::move(file));
  }
}

Input::~Input() {
  if (descriptor_ > 0) ::close(descriptor_);
}

void Input::open(std::size_t index) {
  if (index == open_index_) return;
  if (descriptor_ > 0) ::close(descriptor_);
  const auto& name = files_[index].name;
  descriptor_ = name == "-" ? 0 : ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) throw cannot_read(name, std::strerror(errno), input_advice);
  open_index_ = index;
}

void Input::read(std::uint64_t from, std::span<std::byte> out) {
  const auto after =
      std::upper_bound(files_.begin(), files_.end(), from, [](std::uint64_t at, const File& f) { return at < f.from; });
  for (auto i = static_cast<std::size_t>(after - files_.begin()) - 1; !out.empty() && i < files_.size(); ++i) {
    const auto& file = files_[i];
    const auto end = file.from + file.bytes;
    while (!out.empty() && from < end) {
      open(i);
      const auto n = ::pread(descriptor_, out.data(), std::min<std::uint64_t>(out.size(), end - from),
                             static_cast<off_t>(from - file.from));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw cannot_read(file.name, n < 0 ? std::strerror(errno) : "it has become shorter", input_advice);
      out = out.subspan(static_cast<std::size_t>(n));
      from += static_cast<std::uint64_t>(n);
    }
  }
}

std::size_t Input::read_next(std::span<std::byte> out) {
  std::size_t filled = 0;
  while (filled < out.size() && next_ < files_.size()) {
    open(next_);
    const auto n = ::read(descriptor_, out.data() + filled, out.size() - filled);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw cannot_read(files_[next_].name, std::strerror(errno), input_advice);
    if (n == 0) ++next_;
    filled += static_cast<std::size_t>(n);
  }
  return filled;
}

bool open_input(Transport& world, const std::vector<std::string>& files, std::unique_ptr<Input>& input) {
  std::uint64_t bytes = 0;
  int same = 1;
  on_root(world, [&] {
    input = std::make_unique<Input>(files);
    bytes = input->bytes();
    same = input->plain() ? 1 : 0;
  });
  bytes = broadcast(world, std::vector<std::uint64_t>{bytes}).front();
  if (world.rank() != 0) {
    try {
      input = std::make_unique<Input>(files);
      same = input->plain() && input->bytes() == bytes ? 1 : 0;
    } catch (const InputError&) {
      same = 0;
    }
  }
  return all_reduce(world, same, minimum<int>()) == 1;
}

}  // namespace weft::pack
