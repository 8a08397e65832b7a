// SPDX-License-Identifier: BSD-3-Clause
//
// How much of a communication is overlapped with computation?
//
//   overlap MODE [key=value...]
//     MODE   none    post, compute, wait
//            test    MPI_Testall every poll us of the computation
//            thread  own progress thread (MPI_Iprobe every poll us), MPI_THREAD_MULTIPLE
//            multi   like none, but under MPI_THREAD_MULTIPLE (baseline; also for
//                    the library's own progress thread, MPIR_CVAR_ASYNC_PROGRESS=1)
//            burst   no overlap: k small messages to one peer per step against one of k times the size
//     poll=50        microseconds
//     factor=1.2     computation / communication time
//     compute=busy   busy: arithmetic; sleep: no CPU used (more ranks than cores)
//     wait=mpi       mpi: MPI_Waitall; sleep: MPI_Testall and a nap of 20 us
//     ops=p2p:8,p2p:1048576,allreduce:8,alltoall:65536     bytes
//     time=0.3       seconds per measurement
//     tcomp=0        microseconds of computation instead of factor (same work in every run)
//
// Each line: mode op bytes Tcomm Tcomp Tboth (us, largest over the ranks, median
// of 9 batches; Tcomm and Tcomp without the progress thread) and the overlap fraction
// (Tcomm + Tcomp - Tboth) / min(Tcomm, Tcomp), limited to 0..1.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static int rank_, size_;
static double poll_us = 50, units_per_us = 1;
static bool busy = true, wait_mpi = true;
static volatile double sink = 1.0;

static double now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return double(t.tv_sec) * 1e6 + double(t.tv_nsec) * 1e-3;
}
static void nap(double us) {
  timespec t = {time_t(us / 1e6), long(fmod(us, 1e6) * 1e3)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &t, nullptr);
}
static void work(double units) {  // fixed work, not fixed time: it takes longer if another thread uses the core
  double x = sink;                // volatile, so that the compiler does not move the loop out of the timed region
  for (long i = 0; i < long(units); ++i) x = x * 0.999999 + 1e-6;
  sink = x;
}

struct Op {
  std::string name;
  size_t bytes;
  int peer;
  std::vector<char> s, r;
  std::vector<MPI_Request> q;
  void post() {
    if (name == "p2p") {
      q.resize(2);
      MPI_Irecv(r.data(), int(bytes), MPI_BYTE, peer, 1, MPI_COMM_WORLD, &q[0]);
      MPI_Isend(s.data(), int(bytes), MPI_BYTE, peer, 1, MPI_COMM_WORLD, &q[1]);
    } else if (name == "allreduce") {
      q.resize(1);
      MPI_Iallreduce(s.data(), r.data(), int(bytes / 8), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &q[0]);
    } else {
      q.resize(1);
      MPI_Ialltoall(s.data(), int(bytes), MPI_BYTE, r.data(), int(bytes), MPI_BYTE, MPI_COMM_WORLD, &q[0]);
    }
  }
  bool test() {
    int f;
    MPI_Testall(int(q.size()), q.data(), &f, MPI_STATUSES_IGNORE);
    return f;
  }
  void wait() {
    if (wait_mpi)
      MPI_Waitall(int(q.size()), q.data(), MPI_STATUSES_IGNORE);
    else
      while (!test()) nap(20);
  }
};

// Computes for `us` microseconds, and calls f every poll_us until it returns true.
static void compute(double us, const std::function<bool()>& f) {
  bool done = !f;
  while (us > 0) {
    double step = done ? us : std::min(us, poll_us);
    if (busy)
      work(step * units_per_us);
    else
      nap(step);
    us -= step;
    if (!done && us > 0) done = f();
  }
}

static double measure(double seconds, const std::function<void()>& f) {
  MPI_Barrier(MPI_COMM_WORLD);
  double t = now();
  for (int i = 0; i < 3; ++i) f();
  double per = (now() - t) / 3;
  MPI_Allreduce(MPI_IN_PLACE, &per, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  int k = std::max(3, int(seconds * 1e6 / 9 / std::max(per, 1.0)));
  std::vector<double> v;
  for (int b = 0; b < 9; ++b) {
    MPI_Barrier(MPI_COMM_WORLD);
    t = now();
    for (int i = 0; i < k; ++i) f();
    v.push_back((now() - t) / k);
  }
  MPI_Allreduce(MPI_IN_PLACE, v.data(), 9, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  std::sort(v.begin(), v.end());
  return v[4];
}

int main(int argc, char** argv) {
  std::string mode = argc > 1 ? argv[1] : "", ops = "p2p:8,p2p:1048576,allreduce:8,alltoall:65536";
  double factor = 1.2, seconds = 0.3, fixed = 0;
  for (int i = 2; i < argc; ++i) {
    std::string a = argv[i];
    size_t e = a.find('=');
    std::string k = a.substr(0, e), v = e == std::string::npos ? "" : a.substr(e + 1);
    if (k == "poll")
      poll_us = atof(v.c_str());
    else if (k == "factor")
      factor = atof(v.c_str());
    else if (k == "time")
      seconds = atof(v.c_str());
    else if (k == "tcomp")
      fixed = atof(v.c_str());
    else if (k == "compute")
      busy = v != "sleep";
    else if (k == "wait")
      wait_mpi = v != "sleep";
    else if (k == "ops")
      ops = v;
    else
      mode = "";
  }
  if (mode != "none" && mode != "test" && mode != "thread" && mode != "multi" && mode != "burst") {
    fprintf(stderr, "Usage: testbed_overlap none|test|thread|multi|burst [key=value...]. See docs/testbed.md.\n");
    return 2;
  }
  bool mt = mode == "thread" || mode == "multi";
  int want = mt ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, got;
  MPI_Init_thread(&argc, &argv, want, &got);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  if (got < want || size_ % 2) {
    if (!rank_)
      fprintf(stderr, "overlap: %s\n",
              size_ % 2 ? "The number of ranks is odd. Give an even number."
                        : "This MPI library does not provide MPI_THREAD_MULTIPLE. Use mode none or test.");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  prctl(PR_SET_TIMERSLACK, 1);
  char host[64], other[64];
  gethostname(host, sizeof host);
  MPI_Sendrecv(host, 64, MPI_CHAR, rank_ ^ 1, 0, other, 64, MPI_CHAR, rank_ ^ 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!rank_ && !strcmp(host, other))
    fprintf(stderr, "overlap: warning: Ranks 0 and 1 are on the same host, %s.\n", host);

  if (busy) {  // all ranks calibrate together
    MPI_Barrier(MPI_COMM_WORLD);
    double best = 1e30;
    for (int i = 0; i < 20; ++i) {
      double t = now();
      work(1e6);
      best = std::min(best, now() - t);
    }
    units_per_us = 1e6 / best;
  }

  std::atomic<bool> stop{false}, active{false};
  std::mutex mx;
  std::condition_variable cv;
  std::thread th;
  MPI_Comm side;
  MPI_Comm_dup(MPI_COMM_WORLD, &side);
  if (mode == "thread")
    th = std::thread([&] {
      prctl(PR_SET_TIMERSLACK, 1);
      while (!stop) {
        if (!active) {  // must cost nothing while Tcomm and Tcomp are measured
          std::unique_lock<std::mutex> l(mx);
          cv.wait(l, [&] { return active || stop; });
        }
        int f;
        if (!stop) MPI_Iprobe(MPI_ANY_SOURCE, 77, side, &f, MPI_STATUS_IGNORE), nap(poll_us);
      }
    });
  auto set = [&](std::atomic<bool>& what, bool v) {
    std::lock_guard<std::mutex> l(mx);
    what = v;
    cv.notify_all();
  };

  if (mode == "burst") {
    if (!rank_) printf("%-7s %9s %3s %12s %12s %7s\n", "mode", "bytes", "k", "k_msgs_us", "one_msg_us", "ratio");
    for (int k : {2, 10, 50})
      for (size_t b : {size_t(8), size_t(256), size_t(4096)}) {
        std::vector<char> s(b * size_t(k)), r(b * size_t(k));
        std::vector<MPI_Request> q(size_t(2 * k));
        double many = measure(seconds, [&] {
          for (int i = 0; i < k; ++i)
            MPI_Irecv(&r[size_t(i) * b], int(b), MPI_BYTE, rank_ ^ 1, i, MPI_COMM_WORLD, &q[size_t(i)]);
          for (int i = 0; i < k; ++i)
            MPI_Isend(&s[size_t(i) * b], int(b), MPI_BYTE, rank_ ^ 1, i, MPI_COMM_WORLD, &q[size_t(k + i)]);
          MPI_Waitall(2 * k, q.data(), MPI_STATUSES_IGNORE);
        });
        double one = measure(seconds, [&] {
          MPI_Irecv(r.data(), int(b) * k, MPI_BYTE, rank_ ^ 1, 0, MPI_COMM_WORLD, &q[0]);
          MPI_Isend(s.data(), int(b) * k, MPI_BYTE, rank_ ^ 1, 0, MPI_COMM_WORLD, &q[1]);
          MPI_Waitall(2, q.data(), MPI_STATUSES_IGNORE);
        });
        // One after the other, each with its own wait, as separate halo calls do.
        double serial = measure(seconds, [&] {
          for (int i = 0; i < k; ++i)
            MPI_Sendrecv(&s[size_t(i) * b], int(b), MPI_BYTE, rank_ ^ 1, i, &r[size_t(i) * b], int(b), MPI_BYTE,
                         rank_ ^ 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        });
        if (!rank_)
          printf("%-7s %9zu %3d %12.1f %12.1f %7.2f   one by one %.1f\n", "burst", b, k, many, one, many / one, serial);
      }
  } else {
    if (!rank_)
      printf("%-7s %-9s %9s %10s %10s %10s %7s\n", "mode", "op", "bytes", "Tcomm_us", "Tcomp_us", "Tboth_us",
             "overlap");
    for (size_t p = 0; p < ops.size();) {
      size_t e = std::min(ops.find(',', p), ops.size());
      std::string one = ops.substr(p, e - p);
      p = e + 1;
      Op op;
      op.name = one.substr(0, one.find(':'));
      op.bytes = size_t(atol(one.c_str() + op.name.size() + 1));
      op.peer = rank_ ^ 1;
      size_t n = op.bytes * (op.name == "alltoall" ? size_t(size_) : 1);
      op.s.assign(n, 0);
      op.r.assign(n, 0);
      double tcomm = measure(seconds, [&] {
        op.post();
        op.wait();
      });
      double target = fixed > 0 ? fixed : factor * tcomm;
      MPI_Bcast(&target, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      double tcomp = measure(seconds, [&] { compute(target, nullptr); });
      std::function<bool()> f;
      if (mode == "test") f = [&] { return op.test(); };
      set(active, true);
      double tboth = measure(seconds, [&] {
        op.post();
        compute(target, f);
        op.wait();
      });
      set(active, false);
      if (!rank_)
        printf("%-7s %-9s %9zu %10.1f %10.1f %10.1f %6.0f%%\n", mode.c_str(), op.name.c_str(), op.bytes, tcomm, tcomp,
               tboth, 100 * std::clamp((tcomm + tcomp - tboth) / std::min(tcomm, tcomp), 0.0, 1.0)),
            fflush(stdout);
    }
  }
  set(stop, true);
  if (th.joinable()) th.join();
  MPI_Comm_free(&side);
  MPI_Finalize();
  return 0;
}
