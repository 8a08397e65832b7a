// SPDX-License-Identifier: BSD-3-Clause
#include "pack/output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <utility>

#include "program/readable.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {

Output::Output(mpi::Communicator& world, const std::string& name, MapOptions::Way way, bool overwrite)
    : world_(world), name_(name), overwrite_(overwrite) {
  const bool parallel = way == MapOptions::Way::parallel;
  if (name == "-" && parallel)
    throw InputError(
        "all ranks can't write to the standard output (it is rank 0's). use --write gather, or give a file.", true);
  std::string beside;
  on_root(world, [&] {
    if (name == "-") return;
    const auto there = std::filesystem::status(name);
    if (std::filesystem::is_other(there) && parallel)
      throw InputError(name + ": is a device or a pipe, which all ranks can't write. use --write gather.");
    if (!overwrite) check_absent(name);
    WholeFile::check_given(name);
    file_ = std::make_unique<WholeFile>(name);
    if (parallel) beside = file_->share().string();
  });
  if (!parallel) return;
  beside = broadcast(world, beside);
  program::while_writing(
      name, [&] { together(world, [&] { shared_ = std::make_unique<program::SharedFile>(world, beside); }); });
}

void Output::serve(Work& work, std::function<void(const Block&, std::uint64_t)> placed) {
  work.in_order = [this, placed = std::move(placed)](const Block& block, std::uint64_t, std::uint64_t bytes, View out) {
    if (!shared_) append(out);
    placed(block, bytes);
  };
  work.write_at = [this](std::uint64_t at, View out) {
    try {
      shared_->write(static_cast<std::int64_t>(at), out);
    } catch (const Error& e) {  // a full disk is the user's to mend
      throw cannot_write(name_, e.what());
    }
  };
}

void Output::append(View bytes) {
  auto& stream = file_ ? file_->stream() : std::cout;
  stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!stream.good()) throw cannot_write(name_, errno);
}

std::ostream& Output::trailer() {
  if (!file_) return std::cout;
  file_->stream().seekp(0, std::ios::end);
  return file_->stream();
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
  if (file_) return overwrite_ ? file_->finish() : file_->finish_new();
  std::cout.flush();
  if (!std::cout.good()) throw InputError("the standard output could not be written.");
}

Bar::Bar(bool shown, std::uint64_t total)
    : shown_(shown), terminal_(::isatty(2) == 1), total_(total), start_seconds_(now_seconds()),
      next_bytes_(total / 10) {}

void Bar::update(std::uint64_t done, std::uint64_t out) {
  if (!shown_) return;
  const double now = now_seconds();
  if (terminal_ ? now < next_seconds_ : total_ == 0 || done < next_bytes_) return;
  next_seconds_ = now + 0.2;
  next_bytes_ = total_ > 0 ? (done * 10 / total_ + 1) * (total_ / 10) : 0;
  const double elapsed = std::max(1e-9, now - start_seconds_), rate = static_cast<double>(done) / elapsed;
  std::string text = program::bytes_text(static_cast<double>(done));
  if (total_ > 0) {
    const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const auto filled = static_cast<std::size_t>(share * 20);
    text = fmt::format("[{}{}] {:3} %  {} of {}", std::string(filled, '#'), std::string(20 - filled, '-'),
                       static_cast<int>(share * 100), text, program::bytes_text(static_cast<double>(total_)));
  }
  text += fmt::format("  {}/s  ratio {:.2f}", program::bytes_text(rate),
                      static_cast<double>(done) / static_cast<double>(std::max<std::uint64_t>(1, out)));
  if (total_ > done)
    text += fmt::format("  {} left", program::clock_text(static_cast<double>(total_ - done) / std::max(1.0, rate)));
  fmt::print(stderr, "{}", terminal_ ? "\r" + text + "\x1b[K" : text + "\n");
  std::fflush(stderr);
  drawn_ = true;
}

void Bar::finish() {
  if (drawn_ && terminal_) fmt::print(stderr, "\n");
  drawn_ = false;
}

}  // namespace weft::pack
