// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "advise/abi/mpi.hpp"
#include "advise/recorder.hpp"
#include "advise/steps.hpp"
#include "advise/ticks.hpp"
#include "advise/verdict.hpp"
#include "advise/waiting.hpp"

namespace weft::advise {

/// The last steps' messages are sent once more in MPI_Finalize, without the computation between them. This measures
/// T_comm of the overlap fraction: no model of a network knows how messages share it, and how the MPI library sends
/// them.
///
/// Each rank posts and completes its messages in the order of the program's times. A message is sent only if both ends
/// were recorded in these steps. Then no rank waits for ever: what a rank waits for was posted before, in the program,
/// and so was what that post had to wait for. (Sends that had completed before their receive was posted are completed
/// at the end.)
class Replay {
 public:
  /// Collective: chooses the steps. `seconds`: the run's duration; a replay takes at most a tenth of it, or half a
  /// second.
  Replay(MPI_Comm comm, const Recorder& recorder, const Steps& steps, const TickScale& scale, double seconds,
         Waiting& waiting);
  /// Event number from which messages are sent again; steps.starts.back(): none are.
  std::uint64_t from() const { return from_; }
  /// Collective. `others` as from ask_others().
  ReplayTime run(const std::vector<OtherSide>& others);

 private:
  struct Message;
  class Pass;
  std::vector<Message> messages(const std::vector<OtherSide>& others, double& all) const;

  MPI_Comm comm_;
  const Recorder& recorder_;
  const Steps& steps_;
  const TickScale& scale_;
  Waiting& waiting_;
  double budget_;
  std::size_t count_ = 0;  // steps
  std::uint64_t from_;
};

}  // namespace weft::advise
