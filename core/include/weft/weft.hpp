// SPDX-License-Identifier: BSD-3-Clause
//
// All of the library weft: overlaps MPI communication with computation. Clients list what they exchange (Exchange,
// StepManager, Halo, Monitors, Mailbox, pipeline); weft aggregates it into messages, with one wait per round; Progress
// makes MPI progress while the program computes; a Timeline measures the overlap; Tuning finds the fastest setting. It
// needs only MPI and threads; what is above it in libs and apps needs it.
//
// Every header that a program would include is here, by its folder. Headers that only these include are not here, such
// as collective/composite.hpp and mpi/datatype.hpp.
#pragma once

#include "weft/clock.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/collective/round_operation.hpp"
#include "weft/collective/rounds.hpp"
#include "weft/collective/schedule.hpp"
#include "weft/error.hpp"
#include "weft/exchange/buffers.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/exchange/options.hpp"
#include "weft/exchange/plan.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/exchange/started.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/halo/cartesian_grid.hpp"
#include "weft/halo/field.hpp"
#include "weft/halo/halo.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/halo/reference.hpp"
#include "weft/mailbox/mailbox.hpp"
#include "weft/mpi/check.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/main.hpp"
#include "weft/names.hpp"
#include "weft/pipeline/pipeline.hpp"
#include "weft/progress/progress.hpp"
#include "weft/step/client.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/step/run_profile.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/step/step_profile.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"
#include "weft/transport/reduction.hpp"
#include "weft/transport/region.hpp"
#include "weft/transport/sparse.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/transport/transport.hpp"
#include "weft/tune/halving.hpp"
#include "weft/tune/machine.hpp"
#include "weft/tune/setting.hpp"
#include "weft/tune/store.hpp"
#include "weft/tune/tuning.hpp"
