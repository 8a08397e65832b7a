// SPDX-License-Identifier: BSD-3-Clause
//
// `weft run`: starts an MPI program by any launcher with libweft_advise.so preloaded into its ranks, and shows the
// library's report. It is not an MPI program itself.
#include <exception>

#include "run/job.hpp"
#include "run/message.hpp"
#include "run/options.hpp"
#include "run/process.hpp"
#include "weft/error.hpp"

int main(int argc, char** argv) {
  weft::run::outlive_streams();
  try {
    const auto options = weft::run::read_options(argc, argv);
    if (!options) return 0;
    return options->report.empty() ? weft::run::run_job(*options) : weft::run::show_again(*options);
  } catch (const weft::InputError& e) {
    weft::run::say_error(e.what());
    return 2;
  } catch (const std::exception& e) {
    weft::run::say_error(e.what());
    return 1;
  }
}
