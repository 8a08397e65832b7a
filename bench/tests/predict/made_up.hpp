// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "predict/forecast.hpp"

namespace weft::predict::testing {

constexpr double us = 1e-6;

// Latency 10 us, 2 us per message, 1 us per wait, 1 ns per byte. With polling the overlap is full, with passive only
// latencies are overlapped.
inline Network made_up_network() {
  Network n;
  n.far = Path{.latency = Range::exact(10 * us),
               .overhead = Range::exact(2 * us),
               .point = Range::exact(1 * us),
               .byte = Range::exact(1e-9)};
  n.doubling = Range::exact(5 * us);
  n.overlap = {{"passive", {Range::exact(1), Range::exact(0)}}, {"polling", {Range::exact(1), Range::exact(1)}}};
  return n;
}

// Monitors in two rounds, and a lattice with three peers, on four ranks.
inline RunProfile made_up_run() {
  RunProfile p;
  p.problem = 1e6;
  p.steps = 100;
  p.ranks = 4;
  p.coalesce = true;
  p.progress = "polling";
  p.compute_seconds = 1000 * us;
  p.step_seconds = 1009 * us;
  p.polls = 8;
  p.clients = {
      {.name = "monitors", .tree = true, .alone = {.points = 1, .rounds = 2, .peers = 2, .messages = 2, .bytes = 16}},
      {.name = "lattice",
       .before = 200 * us,
       .during = 700 * us,
       .after = 100 * us,
       .alone = {.points = 1, .rounds = 1, .peers = 3, .messages = 3, .bytes = 30000}}};
  p.together = {.points = 1, .rounds = 2, .peers = 3, .messages = 4, .bytes = 30016};
  return p;
}

}  // namespace weft::predict::testing
