// SPDX-License-Identifier: BSD-3-Clause
//
// All of the library weft: communication that hides behind computation. Clients list what they exchange (Exchange,
// StepManager, Halo, Monitors, Mailbox, pipeline); weft groups it into messages, one synchronisation point a step; a
// Progress drives them while the program computes; a Timeline proves how much was hidden. It needs MPI and threads, and
// nothing else; what is above it in libs and apps needs it.
#pragma once

#include "weft/clock.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/collective/rounds.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/halo/reference.hpp"
#include "weft/mailbox/mailbox.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/mpi/main.hpp"
#include "weft/pipeline/pipeline.hpp"
#include "weft/progress/progress.hpp"
#include "weft/step/overlap_report.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"
#include "weft/tune/tuning.hpp"
