// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark runs its small clients, makes the requested pictures, identical in both modes (it checks this itself),
// and reports. The measured times are not checked.
#include <gtest/gtest.h>

#include <string>

#include "bench/coalesce/coalesce.hpp"
#include "bench/tests/bench/report_of.hpp"
#include "weft/error.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {
namespace {

CoalesceOptions small() {
  CoalesceOptions options;
  options.sites = 2000;
  options.picture_size = 16;
  options.repeats = 2;
  return options;
}

nlohmann::json run(const CoalesceOptions& options) {
  mpi::Communicator world(MPI_COMM_WORLD);
  return report_of(options, [&](const CoalesceOptions& o) { coalesce(world, o); });
}

double median(const nlohmann::json& document, const std::string& what) {
  return result_of(document, what).value("median", -1.0);
}

// The small clients check what they receive, in plain MPI too.
TEST(Coalesce, reports_small_clients_in_each_mode) {
  auto options = small();
  options.clients = {0, 4};
  options.seconds = 0.2;
  const auto document = run(options);
  if (document.is_null()) return;
  for (const std::string clients : {"0 small clients, ", "4 small clients, "}) {
    for (const char* mode : {"not coalesced", "plain MPI, one wait", "coalesced", "no messages"})
      EXPECT_GT(median(document, clients + mode + ": step"), 0) << clients << mode;
    EXPECT_EQ(median(document, clients + "coalesced: waits per step"), 1);
  }
  for (const char* figure : {"overhead_ratio", "overhead_over_plain"})
    EXPECT_TRUE(document["figures"].contains(figure)) << figure;
}

TEST(CoalesceImages, reports_both_modes_and_its_figures) {
  auto options = small();
  options.images = {1, 3};
  options.steps = 48;
  const auto document = run(options);
  if (document.is_null()) return;
  for (const std::string images : {"1 images, ", "3 images, "})
    for (const auto& mode : {images + "coalesced: ", images + "not coalesced: "}) {
      for (const char* what : {"total", "communication", "visualisation"})
        EXPECT_GT(median(document, mode + what), 0) << mode << what;
      median(document, mode + "communication by difference");
    }
  EXPECT_EQ(median(document, "3 images, coalesced: waits per step"), 1);
  EXPECT_GT(median(document, "3 images, not coalesced: waits per step"), 3);
  for (const char* figure :
       {"images_communication_ratio_1", "images_difference_ratio_3", "images_total_ratio_3",
        "worst_images_communication_ratio", "worst_images_difference_ratio", "picture_ms", "picture_share_at_10_per_s"})
    EXPECT_TRUE(document["figures"].contains(figure)) << figure;
}

// Every fourth step: each picture is late, and the run waits for it.
TEST(CoalesceImages, finishes_pictures_that_are_late) {
  auto options = small();
  options.images = {5};
  options.steps = 20;
  const auto document = run(options);
  if (document.is_null()) return;
  EXPECT_GT(median(document, "5 images, coalesced: steps for pictures alone"), 0);
}

TEST(CoalesceImages, needs_steps_for_its_images) {
  mpi::Communicator world(MPI_COMM_WORLD);
  auto options = small();
  options.images = {5};
  options.steps = 19;
  EXPECT_THROW(coalesce(world, options), InputError);
}

}  // namespace
}  // namespace weft::bench
