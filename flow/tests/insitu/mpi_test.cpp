// SPDX-License-Identifier: BSD-3-Clause
//
// The same over MPI.
#include <gtest/gtest.h>

#include "flow/tests/insitu/picture_run.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::insitu {
namespace {

TEST(Pictures, are_the_same_as_in_one_process) {
  mpi::Communicator world(MPI_COMM_WORLD);
  Scene scene;
  scene.width = scene.height = 96;
  scene.streamlines = true;
  scene.plane = true;
  const test::ShapeDomains domains(helix(), world.size(), test::deal_scattered);
  for (const auto way : {CompositeWay::binary_swap, CompositeWay::direct_send}) {
    const auto picture =
        picture_of(world, domains.all()[static_cast<std::size_t>(world.rank())], {.scene = scene, .way = way});
    if (world.rank() != 0) continue;
    EXPECT_EQ(picture_on(1, {.scene = scene}).segments, picture.segments) << name_of(way);
  }
}

}  // namespace
}  // namespace weft::insitu
