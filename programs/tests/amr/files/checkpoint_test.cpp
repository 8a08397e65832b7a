// SPDX-License-Identifier: BSD-3-Clause
#include "amr/files/checkpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <functional>
#include <optional>

#include "amr/files/checkpoint_file.hpp"
#include "program/bytes.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/messages.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"

namespace weft::amr {
namespace {

namespace fs = std::filesystem;
using test::message_of;
using testing::HasSubstr;

const Identity identity{.domain = {.blocks = {3, 2, 2}, .periodic = {true, false, false}, .cells = 8, .spacing = 0.1},
                        .saved_fields = 2,
                        .settings = "speed = 1\ncfl = 0.4\n"};

double value_at(const BlockKey& key, int f, int i, int j, int k, double shift) {
  return 1 / (3.0 + key.level + 7 * key.at[0] + 11 * key.at[1] + 13 * key.at[2] + 0.1 * i + 0.01 * j + 1e-3 * k) + f +
         shift;
}

template <class Visit>
void for_each_cell(const Hierarchy& h, const Visit& visit) {
  for (int l = 0; l < h.levels(); ++l)
    for (const auto& block : h.local(l))
      for (int f = 0; f < 2; ++f)
        for (int k = 0; k < 8; ++k)
          for (int j = 0; j < 8; ++j)
            for (int i = 0; i < 8; ++i) visit(block, f, i, j, k);
}

Hierarchy three_levels(Transport& world, double shift) {
  const std::vector<BlockKey> wanted{{1, {2, 2, 2}}};
  Hierarchy h(world, Tree(identity.domain, nest(identity.domain, wanted), world.size()), 4);
  for_each_cell(h, [&](const BlockData& b, int f, int i, int j, int k) {
    b.cell(f, i, j, k) = value_at(b.key, f, i, j, k, shift);
  });
  return h;
}

void expect_restored(const Restored& r, double shift) {
  EXPECT_EQ(r.hierarchy.levels(), 3);
  for_each_cell(r.hierarchy, [&](const BlockData& b, int f, int i, int j, int k) {
    const double expected = value_at(b.key, f, i, j, k, shift);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(b.cell(f, i, j, k)), std::bit_cast<std::uint64_t>(expected));
  });
}

void change_byte(const fs::path& file, std::int64_t from_end) {
  std::fstream f(file, std::ios::in | std::ios::out | std::ios::binary);
  f.seekg(-from_end, std::ios::end);
  const char c = static_cast<char>(f.get() ^ 4);
  f.seekp(-from_end, std::ios::end);
  f.put(c);
}

TEST(Crc32, is_the_usual_one) {
  const std::string text = "123456789";
  const auto bytes = std::as_bytes(std::span(text));
  using program::crc32;
  EXPECT_EQ(crc32(bytes), 0xCBF43926U);
  for (std::size_t cut = 0; cut <= text.size(); ++cut)
    EXPECT_EQ(crc32(bytes.subspan(cut), crc32(bytes.first(cut))), 0xCBF43926U);
}

TEST(Checkpoint, comes_back_on_any_number_of_ranks) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  CheckpointWriter writer(world, scratch.path / "out", identity);
  const auto file = writer.write(40, 1.25, three_levels(world, 0));
  EXPECT_EQ(file, scratch.path / "out/checkpoint_00000040.weft");
  for (const auto curve : {Curve::hilbert, Curve::morton}) {
    const auto r = restore(world, file, identity, 4, curve);
    EXPECT_EQ(r.step, 40);
    EXPECT_EQ(r.time, 1.25);
    expect_restored(r, 0);
  }
  if (world.rank() == 0) {  // one rank reads the file of many, and writes an identical file
    mpi::Communicator alone(MPI_COMM_SELF);
    expect_restored(restore(alone, file, identity, 2), 0);
    CheckpointWriter again(alone, scratch.path / "alone", identity);
    const auto other = again.write(40, 1.25, three_levels(alone, 0));
    EXPECT_EQ(test::content(file), test::content(other));
  }
  barrier(world);
  expect_restored(restore(world, scratch.path / "alone/checkpoint_00000040.weft", identity, 3), 0);
}

TEST(Checkpoint, the_last_two_are_kept_and_the_last_good_one_is_found) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  CheckpointWriter writer(world, scratch.path, identity);
  for (const int step : {10, 20, 99999999, 100000000}) writer.write(step, step, three_levels(world, step));
  if (world.rank() == 0) {
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path), {}), 2);
  }
  barrier(world);
  const auto last = restore(world, scratch.path, identity, 4);
  EXPECT_EQ(last.step, 100000000);
  EXPECT_TRUE(last.refused.empty());
  if (world.rank() == 0) change_byte(last.file, 100);  // the last cells of the last block
  barrier(world);
  const auto before = restore(world, scratch.path, identity, 4);
  EXPECT_EQ(before.step, 99999999);
  expect_restored(before, 99999999);
  ASSERT_EQ(before.refused.size(), 1U);
  EXPECT_THAT(before.refused[0], HasSubstr("checksum of block"));
  if (world.rank() == 0) fs::resize_file(before.file, 5000);
  barrier(world);
  const auto text = message_of(world, [&] { restore(world, scratch.path, identity, 4); });
  EXPECT_THAT(text, HasSubstr("No checkpoint in"));
  EXPECT_THAT(message_of(world, [&] { restore(world, scratch.path / "nowhere", identity, 4); }),
              HasSubstr("nowhere is not a usable checkpoint (No such file"));
}

TEST(Checkpoint, a_damaged_file_is_one_clear_line_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  CheckpointWriter writer(world, scratch.path, identity);
  const auto good = writer.write(1, 0, three_levels(world, 0));
  const auto file = scratch.path / "bad.weft";
  const auto expect_refused = [&](const char* what, const std::function<void()>& damage) {
    if (world.rank() == 0) {
      fs::copy_file(good, file, fs::copy_options::overwrite_existing);
      damage();
    }
    barrier(world);
    EXPECT_THAT(message_of(world, [&] { restore(world, file, identity, 2); }), HasSubstr(what));
    barrier(world);
  };
  const auto size = static_cast<std::int64_t>(fs::file_size(good));
  barrier(world);
  expect_refused("checksum of its header", [&] { change_byte(file, size - 30); });
  expect_refused("checksum of its header", [&] { change_byte(file, size - 300); });
  expect_refused("weft wave did not write it", [&] { change_byte(file, size); });
  expect_refused("byte order", [&] { change_byte(file, size - 8); });
  expect_refused("too short", [&] { change_byte(file, size - 22); });
  expect_refused("checksum of block (0, 0, 0) of level 0", [&] { change_byte(file, size - 4096); });
  expect_refused("bytes, not", [&] { fs::resize_file(file, static_cast<std::uintmax_t>(size - 8)); });
  expect_refused("too short", [&] { fs::resize_file(file, 3); });
  expect_refused("No such file", [&] { fs::remove(file); });

  // Headers that weft would never write: the checksum is right, but the tree is invalid.
  const auto forge = [&](const std::function<void(checkpoint::Header&)>& change) {
    return [&, change] {
      auto header = checkpoint::parse(file, checkpoint::read_header_bytes(file));
      change(header);
      std::fstream(file, std::ios::in | std::ios::out | std::ios::binary) << checkpoint::bytes_of(header);
    };
  };
  for (const BlockKey key : {BlockKey{-7, {}}, BlockKey{1 << 30, {}}, BlockKey{2, {-2, 0, 0}}, BlockKey{2, {0, 0, 0}}})
    expect_refused("its blocks make no tree", forge([key](auto& h) { h.blocks.back().key = key; }));
  expect_refused("blocks of 65536^3 cells", forge([](auto& h) { h.identity.domain.cells = 1 << 16; }));
}

TEST(Checkpoint, one_of_another_case_is_refused) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  CheckpointWriter writer(world, scratch.path, identity);
  writer.write(1, 0, three_levels(world, 0));
  const auto text_for = [&](const Identity& other) {
    return message_of(world, [&] { restore(world, scratch.path, other, 2); });
  };
  auto other = identity;
  other.settings = "speed = 1\ncfl = 0.3\n";
  EXPECT_THAT(text_for(other), HasSubstr("it has 'cfl = 0.4', this case has 'cfl = 0.3'"));
  other.settings = "speed = 1\n";
  EXPECT_THAT(text_for(other), HasSubstr("it has 'cfl = 0.4', this case has 'nothing more'"));
  other = identity;
  other.domain.blocks[2] = 1;
  EXPECT_THAT(text_for(other), HasSubstr("3 x 2 x 2 blocks"));
  other = identity;
  other.domain.periodic[1] = true;
  EXPECT_THAT(text_for(other), HasSubstr("periodic"));
  other = identity;
  other.saved_fields = 1;
  EXPECT_THAT(text_for(other), HasSubstr("2 fields"));
}

TEST(Checkpoint, a_write_that_fails_keeps_what_was_there) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  CheckpointWriter writer(world, scratch.path, identity);
  writer.write(1, 0, three_levels(world, 1));
  std::optional<test::FileLimit> full;
  if (world.rank() == world.size() - 1) full.emplace(1 << 16);
  EXPECT_THROW(writer.write(2, 0, three_levels(world, 2)), InputError);
  full.reset();
  if (world.rank() == 0) {
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path), {}), 1) << "no unfinished file";
  }
  barrier(world);
  const auto r = restore(world, scratch.path, identity, 2);
  EXPECT_EQ(r.step, 1);
  expect_restored(r, 1);
}

}  // namespace
}  // namespace weft::amr
