// SPDX-License-Identifier: BSD-3-Clause
#include "pack/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "program/readable.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {

Output::Output(mpi::Communicator& world, const std::string& name, MapOptions::Way way, bool overwrite,
               std::optional<Access> access)
    : world_(world), name_(name), overwrite_(overwrite) {
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
  program::while_writing(
      name, [&] { together(world, [&] { shared_ = std::make_unique<program::SharedFile>(world, beside); }); });
}

void Output::head(View bytes) {
  head_bytes_ = bytes.size();
  if (world_.rank() == 0) append(bytes);
}

void Output::serve(Work& work, std::function<void(const Block&, std::uint64_t)> placed) {
  work.in_order = [this, placed = std::move(placed)](const Block& block, std::uint64_t, std::uint64_t bytes, View out) {
    if (!shared_) append(out);
    placed(block, bytes);
  };
  work.write_at = [this](std::uint64_t at, View out) {
    if (!writes_) return;
    try {
      shared_->write(static_cast<std::int64_t>(head_bytes_ + at), out);
    } catch (const Error& e) {  // a full disk is for the user to resolve
      throw cannot_write(name_, e.what());
    }
  };
}

void Output::append(View bytes) {
  if (!writes_) return;
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
