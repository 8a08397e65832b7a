// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark runs and reports. The measured speed is not checked.
#include "bench/kernel/kernel.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>

#include "bench/kernel/stream.hpp"
#include "bench/tests/bench/report_of.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::bench {
namespace {

nlohmann::json run(KernelOptions options) {
  options.seconds = 0.01;
  testing::internal::CaptureStdout();
  const auto document = report_of(
      options, [](const KernelOptions& o) { run_in_process(2, [&](Transport& transport) { kernel(transport, o); }); });
  testing::internal::GetCapturedStdout();
  return document;
}

TEST(KernelBench, reports_both_precisions_and_their_figures) {
  KernelOptions options;
  options.sizes = {{8, 8, 8}, {3, 4, 5}};
  options.vessels = {"2000"};
  const auto document = run(options);
  EXPECT_EQ(document["benchmark"], "kernel");
  for (const char* what :
       {"8^3 fp64: stream", "8^3 fp32: kernel, updates", "3x4x5 fp64: kernel, its populations",
        "3x4x5 fp32: stream, as updates", "3x4x5 fp64: share of the limit", "3x4x5 as a list fp32: share of the limit"})
    expect_result(document, what, 0);
  for (const char* figure :
       {"dense_mlups_fp64", "dense_mlups_fp32", "dense_share_fp64", "dense_share_fp32", "sparse_mlups_fp64",
        "sparse_mlups_fp32", "sparse_share_fp64", "sparse_share_fp32", "stream_gb_per_s"})
    EXPECT_GT(document["figures"].value(figure, 0.0), 0) << figure;
}

TEST(KernelBench, runs_every_lattice) {
  using lattice::VelocitySet;
  for (const auto set : {VelocitySet::d2q9, VelocitySet::d3q15, VelocitySet::d3q27}) {
    KernelOptions options;
    options.sizes = {{4, 5, 6}};
    options.precisions = {lattice::Precision::fp32};
    options.vessels = {"1000"};
    options.velocities = {set};
    options.collisions = {lattice::Collision::mrt};
    options.wraps = set == VelocitySet::d3q27;
    const auto document = run(options);
    expect_result(document, fmt::format("4x5x6 fp32, {} mrt: kernel, updates", name_of(set)), 0);
    EXPECT_FALSE(document["figures"].contains("dense_mlups_fp64"));
  }
}

TEST(KernelBench, runs_16_bits_and_refuses_them_in_double_precision) {
  KernelOptions options;
  options.sizes = {{4, 5, 6}};
  options.vessels = {"1000"};
  options.storages = {lattice::Storage::fp16, lattice::Storage::fp16c};
  const auto document = run(options);
  expect_result(document, "4x5x6 fp16: kernel, updates", 0);
  expect_result(document, "4x5x6 fp16c: kernel, updates", 0);
  options.precisions = {lattice::Precision::fp64};
  EXPECT_THROW(run(options), InputError);
  testing::internal::GetCapturedStdout();
}

TEST(KernelBench, streaming_leaves_the_lattice_as_it_is) {
  for (const auto precision : {lattice::Precision::fp64, lattice::Precision::fp32}) {
    lattice::DenseLattice dense({5, 6, 7}, {.precision = precision});
    dense.initialise([](const auto& s) {
      return lattice::DenseLattice::State{1 + 0.01 * double(s[0]), {0.01 * double(s[2]), 0, 0}};
    });
    const auto at = dense.layout();
    const std::vector<std::byte> before(at.data, at.data + at.components * at.component_stride * at.element_bytes - 64);
    stream(dense);
    EXPECT_EQ(std::memcmp(before.data(), at.data, before.size()), 0);
    EXPECT_EQ(streamed_bytes(dense), 2.0 * 19 * double(5 * 6 * 7 * at.element_bytes / 64 * 64));
  }
}

}  // namespace
}  // namespace weft::bench
