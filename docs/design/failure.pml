/* SPDX-License-Identifier: BSD-3-Clause

   The protocol by which all ranks of an exchange learn that one of them has failed (core/include/weft/transport/failure.hpp), as a
   model for the model checker spin. `make model` (tools/model) searches all its states.

   A rank is in one of these states:

     between     between two starts
     started     its receives are posted; sends leave, in any order; when all have left it waits
     done, away  it has waited for all its starts. `done` makes calls of weft, so it still learns of failures; `away` makes none.
     winding     it has failed: receives that are not matched are cancelled, and it discards what is in flight to it
     barrier     no operation uses memory of the program, and its messages from weft's buffers have left
     thrown      it waited long enough for the barrier. The program has the exception, and each later wait of weft serves: it
                 discards messages and goes on with the barrier.
     over        its steps of the barrier are done
     gone        it has thrown and never calls weft again, before the barrier was over

   Messages, from each rank to each peer, have one tag and stay in order:

     eager       leaves at once, without the receiver, and arrives without its sender
     program     rendezvous from memory of the program: complete when the receiver has received or discarded it
     own         the same from a buffer of weft

   A receive that is matched with a rendezvous message can't be cancelled, and completes only while the sender makes calls. A
   rank that fails by itself sends a notice to all others, once. Who learns it from a notice sends none. A token of the barrier
   has the cause, too. Notices and tokens are eager. Collectives use weft's buffers, are left behind, and may then never complete.

   Why no wait is endless: the originator's notices leave before it does anything else, and need no other rank. So each rank that
   waits learns the failure, winds down, and from then on discards whatever is sent to it, also after it has thrown. So a send
   completes, except to a rank that is gone; and a matched receive completes, because its sender waits for all its messages.
   Nobody waits for the barrier longer than a courtesy. A rank that can't free memory of the program ends the job after the
   time-out. That is lawful only if another rank has gone that should have received it.

   Properties, by the name that spin prints:

     wait_ends              when nothing can happen any more, no rank waits
     memory_is_free         no operation uses memory of the program after the exception was thrown
     message_is_of_start    no receive gets a message of an earlier start
     all_learn              when nothing can happen any more, each rank that calls weft knows the failure
     cause_has_failed       the rank that an error names has failed by itself
     end_is_lawful          the job is ended only if a rank went away
     all_wound_down         when the barrier is over for one rank, no rank needs another

   Not in the model: durations (a time-out ends when nothing else can happen, so a rank that computes for longer is not covered;
   each rank that has not thrown calls weft again), errors of MPI itself, killed ranks, several threads of a rank, and two starts in
   flight. Rank 0 fails first, without loss of generality: all ranks are alike. */

#ifndef N
#define N 3 /* ranks: 3, 4 or 5 */
#endif
#ifndef STARTS
#define STARTS 2 /* 1 or 2 */
#endif
#ifndef COLLECTIVES
#define COLLECTIVES 0 /* 1: the last start has a collective */
#endif
#ifdef RING /* else all to all */
#define is_peer(a, b) ((b) == ((a) + 1) % N)
#else
#define is_peer(a, b) ((a) != (b))
#endif
/* To make it smaller: NO_PROGRAM, NO_OWN (no messages of that kind), NEXT_ONLY (rendezvous messages only to the next rank), ONE
   (only rank 0 fails by itself).
   Variants that must be found wrong: FORWARDED (notices go to neighbours, who forward them), LEAVES_EARLY (does not wait for
   messages from weft's buffers), USES_MEMORY (does not wait for memory of the program), STARTS_AGAIN (goes on with the
   next start after the error), NAMES_SENDER (a token names the rank that sent it). */

#if N == 3
#define ROUNDS 2
#define each(f) (f(0) && f(1) && f(2))
#elif N == 4
#define ROUNDS 2
#define each(f) (f(0) && f(1) && f(2) && f(3))
#else
#define ROUNDS 3
#define each(f) (f(0) && f(1) && f(2) && f(3) && f(4))
#endif

#define started 0
#define done 1
#define winding 2
#define barrier 3
#define thrown 4
#define over 5
#define gone 6
#define away 7
byte phase[N];

/* Messages from a to b of start i: absent; in flight; matched; received, discarded, or never needed. */
#define absent 0
#define eager 1
#define program 2
#define own 3
#define matched 2 /* is added */
#define taken 6
#define to(a, b, i) (((a) * N + (b)) * STARTS + (i))
byte message[N * N * STARTS];
#define is_rendezvous(x) ((x) == program || (x) == own)
#define is_in_flight(x) ((x) >= eager && (x) <= own)
#if STARTS == 1
#define oldest(a, b) 0
#else
#define oldest(a, b) (is_in_flight(message[to(a, b, 0)]) -> 0 : 1)
#endif

byte at[N];     /* number of the start */
byte joined;    /* ranks that have started the collective */
bool dead;      /* a rank has left the collective behind */
bool dies;      /* and then it never completes */
byte faulty;    /* ranks that may fail by themselves */
byte failed;    /* ranks that have */
byte cause[N];  /* 1 + the rank that has failed, as far as the rank knows, or a notice says */
byte memory[N]; /* operations that use memory of the program and can't be cancelled */
byte owned[N];  /* messages from weft's buffers */
byte token[N], round[N];

hidden byte wait_ends, memory_is_free, message_is_of_start, all_learn, cause_has_failed, end_is_lawful, all_wound_down;
inline check(property, holds) { property = holds; assert(property) }

#define bit(x) (1 << (x))
#define everybody (bit(N) - 1)
#define is_ok(r) (phase[r] <= done)
#define makes_calls(r) (phase[r] <= thrown)
#define has_collective(i) (COLLECTIVES && (i) == STARTS - 1)
#define has_left(d) (!is_peer(r, d) || message[to(r, d, at[r])] != absent)
#define is_ready (each(has_left) && (!has_collective(at[r]) || (joined & bit(r))))
#define is_sent(d) (!is_peer(r, d) || message[to(r, d, at[r])] == taken || message[to(r, d, at[r])] == eager)
#define is_received(a) (!is_peer(a, r) || message[to(a, r, at[r])] == taken)
#define is_complete (each(is_sent) && each(is_received) && (!has_collective(at[r]) || (joined == everybody && !dead)))

/* An eager message meets a receive, or is discarded. */
inline settle(a, b) {
  if
  :: !is_ok(b) && message[to(a, b, oldest(a, b))] == eager -> message[to(a, b, oldest(a, b))] = taken
  :: phase[b] == started && message[to(a, b, oldest(a, b))] == eager && message[to(a, b, at[b])] <= own ->
     check(message_is_of_start, oldest(a, b) == at[b]);
     message[to(a, b, at[b])] = taken
  :: else
  fi
}

#ifdef NEXT_ONLY
#define may_send(d, kind) (kind == eager || d == (r + 1) % N)
#else
#define may_send(d, kind) true
#endif
inline send(d, kind) {
  d_step {
    phase[r] == started && is_peer(r, d) && message[to(r, d, at[r])] == absent && may_send(d, kind) ->
    message[to(r, d, at[r])] = kind;
    if
    :: kind == eager -> settle(r, d)
    :: kind == program -> memory[r]++
    :: kind == own -> owned[r]++
    fi
  }
}

/* A posted receive meets a rendezvous message of rank a. */
inline match(a) {
  d_step {
    phase[r] == started && is_peer(a, r) && is_rendezvous(message[to(a, r, oldest(a, r))]) && message[to(a, r, at[r])] <= own ->
    check(message_is_of_start, oldest(a, r) == at[r]);
    message[to(a, r, at[r])] = message[to(a, r, at[r])] + matched;
    memory[r]++
  }
}

inline take(a, i, kind) {
  if
  :: kind == program -> memory[a]--
  :: kind == own -> owned[a]--
  fi;
  message[to(a, r, i)] = taken
}

inline complete(a) {
  d_step {
    (phase[r] == started || phase[r] == winding) && is_peer(a, r) && message[to(a, r, at[r])] >= program + matched &&
      message[to(a, r, at[r])] < taken && makes_calls(a) ->
    memory[r]--;
    take(a, at[r], message[to(a, r, at[r])] - matched);
    settle(a, r)
  }
}

inline discard(a) {
  d_step {
    phase[r] >= winding && phase[r] <= thrown && is_peer(a, r) && is_rendezvous(message[to(a, r, oldest(a, r))]) && makes_calls(a) ->
    take(a, oldest(a, r), message[to(a, r, oldest(a, r))]);
    settle(a, r)
  }
}

#ifdef NO_PROGRAM
#define peer(d) :: send(d, eager) :: send(d, own) :: match(d) :: complete(d) :: discard(d)
#else
#ifdef NO_OWN
#define peer(d) :: send(d, eager) :: send(d, program) :: match(d) :: complete(d) :: discard(d)
#else
#define peer(d) :: send(d, eager) :: send(d, program) :: send(d, own) :: match(d) :: complete(d) :: discard(d)
#endif
#endif

inline wait_for_start(next) {
  d_step {
    phase[r] == started && is_ready && is_complete && (at[r] < STARTS - 1) == (next == started) ->
    phase[r] = next;
    if
    :: next == started ->
       at[r]++;
       do
       :: i < N -> if :: is_peer(i, r) -> settle(i, r) :: else fi; i++
       :: else -> break
       od;
       i = 0
    :: next == done -> at[r] = 0
    :: next == away -> at[r] = 0; cause[r] = 0
    fi
  }
}

#ifdef FORWARDED
#define gets_notice(mine) (i == (r + 1) % N || i == (r + 2) % N || (N > 4 && i == (r + 4) % N))
#else
#define gets_notice(mine) mine
#endif

inline fail(mine) {
  check(cause_has_failed, (failed & bit(cause[r] - 1)) != 0);
  if
  :: phase[r] == started && has_collective(at[r]) && (joined & bit(r)) -> dead = dies
  :: else
  fi;
  phase[r] = winding;
  do
  :: i < N ->
     if
     :: i != r && is_ok(i) && gets_notice(mine) -> cause[i] = cause[r]
     :: else
     fi;
     do
     :: k < STARTS ->
        if
        :: is_peer(i, r) && message[to(i, r, k)] == eager -> message[to(i, r, k)] = taken
        :: is_peer(i, r) && !is_ok(i) && message[to(i, r, k)] == absent -> message[to(i, r, k)] = taken
        :: else
        fi;
        if
        :: is_peer(r, i) && !is_ok(i) && message[to(r, i, k)] == absent -> message[to(r, i, k)] = taken
        :: else
        fi;
        k++
     :: else -> break
     od;
     k = 0;
     i++
  :: else -> break
  od;
  i = 0
}

inline give_token(d, step, first) {
  if
  :: makes_calls(d) -> token[d] = token[d] | bit(step)
  :: else
  fi;
#ifndef FORWARDED
  if
  :: is_ok(d) -> cause[d] = first
  :: else
  fi
#endif
}

#ifdef NAMES_SENDER
#define told_cause(r) ((r) + 1)
#else
#define told_cause(r) cause[r]
#endif
#ifdef USES_MEMORY
#define has_no_sends(r) (owned[r] == 0)
#elif defined(LEAVES_EARLY)
#define has_no_sends(r) (memory[r] == 0)
#else
#define has_no_sends(r) (memory[r] == 0 && owned[r] == 0)
#endif
inline enter_barrier(r) {
  phase[r] = barrier;
#ifndef STARTS_AGAIN
  at[r] = 0;
#endif
  give_token((r + 1) % N, 0, told_cause(r))
}

proctype Rank(byte r) {
  byte i, k;
end:
  do
  peer(0)
  peer(1)
  peer(2)
#if N > 3
  peer(3)
#endif
#if N > 4
  peer(4)
#endif
#if COLLECTIVES
  :: d_step { phase[r] == started && has_collective(at[r]) && !(joined & bit(r)) -> joined = joined | bit(r) }
#endif
  :: wait_for_start(started)
  :: wait_for_start(done)
  :: wait_for_start(away)

  :: d_step {
       phase[r] == started && (faulty & bit(r)) && (failed != 0 || r == 0) ->
       failed = failed | bit(r);
       cause[r] = r + 1;
       fail(true)
     }
  :: d_step {
       phase[r] <= done && cause[r] != 0 ->
       fail(false)
     }
  :: d_step { phase[r] == winding && has_no_sends(r) -> enter_barrier(r) }
  :: d_step {
       (phase[r] == barrier || phase[r] == thrown) && (token[r] & bit(round[r])) ->
       round[r]++;
       if
       :: round[r] < ROUNDS -> give_token((r + bit(round[r])) % N, round[r], told_cause(r))
       :: else ->
          phase[r] = over;
          round[r] = 0; token[r] = 0; cause[r] = 0;
#define has_wound_down(d) (memory[d] == 0 && !is_ok(d))
#ifndef STARTS_AGAIN
          check(all_wound_down, each(has_wound_down))
#endif
       fi
     }
  :: d_step { phase[r] == barrier -> check(memory_is_free, memory[r] == 0); phase[r] = thrown }
  :: d_step {
       phase[r] == barrier ->
       check(memory_is_free, memory[r] == 0);
       phase[r] = gone;
       round[r] = 0; token[r] = 0; cause[r] = 0
     }
#ifdef STARTS_AGAIN
  :: d_step { phase[r] == thrown && at[r] < STARTS - 1 -> phase[r] = started; at[r]++; cause[r] = 0 }
#endif
  od
}

/* Time-outs end when nothing else can happen. */
proctype Clock() {
  byte r, d;
  bool goes_on, ends, some_wait, some_ignorant;
end:
  do
  :: timeout ->
     d_step {
       do
       :: r < N ->
          if
          :: phase[r] == winding && memory[r] == 0 -> enter_barrier(r); goes_on = true
          :: phase[r] == winding && memory[r] > 0 ->
             ends = true;
             end_is_lawful = false;
             do
             :: d < N * STARTS ->
                if
                :: message[r * N * STARTS + d] == program && phase[d / STARTS] == gone -> end_is_lawful = true
                :: else
                fi;
                d++
             :: else -> break
             od;
             d = 0;
             assert(end_is_lawful)
          :: phase[r] == started -> some_wait = true
          :: phase[r] == done && failed != 0 -> some_ignorant = true
          :: else
          fi;
          r++
       :: else -> break
       od;
       r = 0;
       check(wait_ends, goes_on || ends || !some_wait);
       check(all_learn, goes_on || ends || !some_ignorant);
       ends = false; some_wait = false; some_ignorant = false
     };
     if
     :: goes_on -> goes_on = false
     :: else -> break
     fi
  od
}

init {
  byte a;
  atomic {
    faulty = 1;
#if COLLECTIVES
    if :: dies = true :: skip fi;
#endif
#ifndef ONE
    a = 1;
    do
    :: a < N -> if :: faulty = faulty | bit(a) :: skip fi; a++
    :: else -> break
    od;
    a = 0;
#endif
    do
    :: a < N -> run Rank(a); a++
    :: else -> break
    od;
    a = 0;
#ifndef STARTS_AGAIN
    run Clock()
#endif
  }
}
