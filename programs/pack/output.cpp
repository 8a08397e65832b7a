// SPDX-License-Identifier: BSD-3-Clause
#include "pack/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>
#include <vector>

#include "program/readable.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {

Output::Output(Transport& world, const std::string& name, MapOptions::Way way, bool overwrite,
               std::optional<Access> access)
    : world_(world), name_(name), overwrite_(overwrite), way_(way) {
  const bool parallel = way == MapOptions::Way::parallel;
  if (name == "-" && parallel)
    throw InputError(
        "--write parallel can't write to the standard output (only rank 0 has it). Use --write gather, or give a file.",
        true);
  std::string beside;
  on_root(world, [&] {
    if (name == "-") return;
    const auto there = std::filesystem::status(name);
    if (std::filesystem::is_other(there) && parallel)
      throw InputError(name +
                       ": This is a device or a pipe (only a file can be written by all ranks). Use --write gather.");
    if (!overwrite) check_absent(name);
    WholeFile::check_given(name);
    file_ = std::make_unique<WholeFile>(name, access);
    if (parallel) beside = file_->share().string();
  });
  if (!parallel) return;
  beside = broadcast(world, beside);
  program::while_writing(name, [&] {
    together(world,
             [&] { shared_ = std::make_unique<program::SharedFile>(dynamic_cast<mpi::Communicator&>(world), beside); });
  });
}

Output::~Output() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

MapOptions::Way Output::share() {
  const bool near = way_ == MapOptions::Way::gather && world_.shares_memory_with(0);
  if (all_reduce(world_, near ? 1 : 0, minimum<int>()) == 0) return way_;
  std::string path;
  on_root(world_, [&] {
    if (file_ && !std::filesystem::is_other(std::filesystem::status(name_))) path = file_->share().string();
  });
  path = broadcast(world_, path);
  descriptor_ = path.empty() ? -1 : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  struct stat status {};
  const bool is_open = descriptor_ >= 0 && ::fstat(descriptor_, &status) == 0;
  // Containers of one machine may have other folders.
  const std::vector<std::uint64_t> file{status.st_dev, status.st_ino};
  const bool same = broadcast(world_, file) == file && is_open;
  if (all_reduce(world_, same ? 1 : 0, minimum<int>()) == 1) way_ = MapOptions::Way::parallel;
  return way_;
}

void Output::head(View bytes) {
  head_bytes_ = bytes.size();
  if (world_.rank() == 0) append(bytes);
}

void Output::serve(Work& work, std::function<void(const Block&, std::uint64_t)> placed) {
  work.in_order = [this, placed = std::move(placed)](const Block& block, std::uint64_t, std::uint64_t bytes, View out) {
    if (way_ != MapOptions::Way::parallel) append(out);
    placed(block, bytes);
  };
  work.write_at = [this](std::uint64_t at, View out) { write(at, out); };
}

void Output::write(std::uint64_t at, View out) {
  if (!writes_) return;
  if (!shared_) return write_here(head_bytes_ + at, out);
  try {
    shared_->write(static_cast<std::int64_t>(head_bytes_ + at), out);
  } catch (const Error& e) {  // a full disk is for the user to resolve
    throw cannot_write(name_, e.what());
  }
}

void Output::write_here(std::uint64_t at, View out) const {
  while (!out.empty()) {
    const auto n = ::pwrite(descriptor_, out.data(), out.size(), static_cast<off_t>(at));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw cannot_write(name_, errno);
    // The disk starts at once, so that little is left for the sync at the end.
    ::sync_file_range(descriptor_, static_cast<off_t>(at), n, SYNC_FILE_RANGE_WRITE);
    out = out.subspan(static_cast<std::size_t>(n));
    at += static_cast<std::uint64_t>(n);
  }
}

void Output::append(View bytes) {
  if (!writes_) return;
  if (descriptor_ >= 0) {
    write_here(appended_, bytes);
    appended_ += bytes.size();
    return;
  }
  auto& stream = file_ ? file_->stream() : std::cout;
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream.good()) throw cannot_write(name_, errno);
}

void Output::tail(View bytes) {
  if (file_) file_->stream().seekp(0, std::ios::end);  // not for devices and pipes
  append(bytes);
}

void Output::close_shared() {
  if (!shared_) return;
  program::while_writing(name_, [&] {
    together(world_, [&] { shared_->sync(); });
    together(world_, [&] { shared_->close(); });
  });
  shared_.reset();
}

void Output::finish() {
  if (!writes_) return;
  if (file_) return overwrite_ ? file_->finish() : file_->finish_new();
  std::cout.flush();
  if (!std::cout.good()) throw InputError("The standard output could not be written. Check the program that reads it.");
}

std::optional<program::ProgressBar> make_bar(bool shown, std::uint64_t total_bytes, const std::uint64_t& out_bytes) {
  if (!shown) return {};
  const auto words = [total_bytes, &out_bytes](std::int64_t done, std::int64_t, double seconds) {
    const auto bytes = static_cast<double>(done);
    auto text = program::bytes_text(bytes);
    if (total_bytes > 0) text += " of " + program::bytes_text(static_cast<double>(total_bytes));
    text += fmt::format("  {}/s", program::bytes_text(bytes / std::max(1e-9, seconds)));
    const auto out = static_cast<double>(out_bytes);
    return out > 0 ? text + fmt::format("  ratio {:.2f}", std::max(bytes, out) / std::min(bytes, out)) : text;
  };
  return std::optional<program::ProgressBar>(std::in_place, static_cast<std::int64_t>(total_bytes), words);
}

}  // namespace weft::pack
