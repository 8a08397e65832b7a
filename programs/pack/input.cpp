// SPDX-License-Identifier: BSD-3-Clause
#include "pack/input.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "program/same_file.hpp"
#include "weft/error.hpp"
#include "weft/file/read_whole.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {
namespace {

constexpr const char* input_advice = "Give readable files.";

// Opening a pipe by its name would wait for a program that writes into it, which may never start. Afterwards reads
// wait.
void wait_for_writer(const std::string& name, int descriptor) {
  int copy[2];
  if (::pipe2(copy, O_CLOEXEC) != 0) throw cannot_read(name, std::strerror(errno), input_advice);
  // tee copies a byte without taking it away: 0 means that there is neither a byte nor a writer.
  ssize_t there = 0;
  for (int tries = 0; tries < 100 && there == 0; ++tries) {
    if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    there = ::tee(descriptor, copy[1], 1, SPLICE_F_NONBLOCK);
  }
  ::close(copy[0]);
  ::close(copy[1]);
  if (there == 0)
    throw cannot_read(name, "no program writes into this pipe", "Start the program that writes into it first.");
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
}

}  // namespace

bool is_pipe(const std::string& name) {
  std::error_code error;
  return name == "-" || std::filesystem::is_other(std::filesystem::status(name, error));
}

Input::Input(std::vector<std::string> files) {
  for (auto& name : files) {
    File file{.name = std::move(name), .from = bytes_};
    if (file.name == "-") {
      plain_ = false;
    } else {
      std::error_code error;
      const auto status = std::filesystem::status(file.name, error);
      if (std::filesystem::is_directory(status))
        throw cannot_read(file.name, std::strerror(EISDIR), "Give files; tar makes one of a folder.");
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
  const bool is_named_pipe = name != "-" && std::filesystem::is_fifo(name);
  descriptor_ = name == "-" ? 0 : ::open(name.c_str(), O_RDONLY | O_CLOEXEC | (is_named_pipe ? O_NONBLOCK : 0));
  if (descriptor_ < 0) throw cannot_read(name, std::strerror(errno), input_advice);
  if (is_named_pipe) wait_for_writer(name, descriptor_);
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
  return all_reduce(world, same, minimum<int>()) == 1 && std::ranges::all_of(files, [&](const std::string& file) {
           return program::other_file_seen(world, file).empty();
         });
}

}  // namespace weft::pack
