// SPDX-License-Identifier: BSD-3-Clause
#include "run/launcher.hpp"

#include <gtest/gtest.h>

namespace weft::run {
namespace {

const Variables two = {{"A", "1"}, {"B", "x y"}};

TEST(RunLauncher, open_mpi_is_given_variables_for_each_program) {
  EXPECT_EQ(
      with_variables(Launcher::open_mpi, {"mpirun", "-n", "2", "a", ":", "-n", "1", "b"}, two),
      (Words{"mpirun", "-x", "A=1", "-x", "B=x y", "-n", "2", "a", ":", "-x", "A=1", "-x", "B=x y", "-n", "1", "b"}));
}

TEST(RunLauncher, hydra_is_given_them_once) {
  EXPECT_EQ(with_variables(Launcher::hydra, {"mpiexec", "-n", "2", "a", ":", "-n", "1", "b"}, two),
            (Words{"mpiexec", "-genv", "A", "1", "-genv", "B", "x y", "-n", "2", "a", ":", "-n", "1", "b"}));
}

TEST(RunLauncher, slurm_exports_them_with_what_is_exported) {
  EXPECT_EQ(with_variables(Launcher::slurm, {"srun", "-n2", "a"}, two),
            (Words{"srun", "--export=ALL,A=1,B=x y", "-n2", "a"}));
  EXPECT_EQ(with_variables(Launcher::slurm, {"srun", "--export=ALL,Z=3", "a"}, two),
            (Words{"srun", "--export=ALL,Z=3,A=1,B=x y", "a"}));
  EXPECT_EQ(with_variables(Launcher::slurm, {"srun", "--export=NONE", "a"}, two),
            (Words{"srun", "--export=A=1,B=x y", "a"}));
  // What stands behind the program is the program's.
  EXPECT_EQ(with_variables(Launcher::slurm, {"srun", "a", "--export=NONE"}, two),
            (Words{"srun", "--export=ALL,A=1,B=x y", "a", "--export=NONE"}));
}

TEST(RunLauncher, without_one_the_words_stay) {
  EXPECT_EQ(with_variables(Launcher::none, {"a", "b"}, two), (Words{"a", "b"}));
  EXPECT_EQ(launcher_of("./a"), Launcher::none);
  EXPECT_EQ(launcher_of("/nowhere/mpirun"), Launcher::none);
}

}  // namespace
}  // namespace weft::run
