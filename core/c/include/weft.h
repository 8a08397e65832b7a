/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft in C: overlaps MPI communication with computation. Link libweft_c (weft::c in CMake, weft-c in pkg-config).
 *
 * Conventions
 *
 * - Every function returns a code, WEFT_OK or one of weft_code. After another one, weft_error_text() is the sentence.
 *   A call that fails changes nothing, unless its description says otherwise. No C++ exception leaves a function.
 * - A handle is made by a ..._create function and freed by ..._free, which sets it to NULL; freeing NULL does nothing.
 *   A NULL handle, one of another kind and one that was freed are found (WEFT_ERR_HANDLE), also after it was copied.
 * - A struct of options begins with its size: weft_exchange_options options = {.size = sizeof options}; then set what
 *   is to differ from the default, which is 0 in every member. NULL instead of a struct: all defaults.
 * - Names, texts, arrays of numbers and structs are read during the call only. Memory of parts and fields is borrowed:
 *   it must stay at its address until the object that uses it is freed.
 * - A callback gets the context pointer that was given with it, and returns 0. With another value it fails; it may call
 *   `return weft_raise("why")`, or return the code of a weft function that has failed in it.
 * - "Collective" functions are called by all ranks, in the same order. Objects belong to one thread at a time.
 * - Objects that another object was made from (a communicator, a timeline, a grid, a halo) may be freed before it.
 * - A peer that is MPI_PROC_NULL is allowed: nothing is communicated, and the part is ignored by each call.
 * - All sizes are in elements or bytes as stated; booleans are int.
 *
 * What the objects do is described with the C++ classes of the same name; docs/howto/from-c.md has examples.
 */
#ifndef WEFT_H
#define WEFT_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "weft_version.h"

#if defined(__GNUC__)
#define WEFT_API __attribute__((visibility("default")))
#else
#define WEFT_API
#endif
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11 /* memory that is only pointed at needs no value yet */
#define WEFT_NOT_READ __attribute__((access(none, 1)))
#define WEFT_NOT_READ_2 __attribute__((access(none, 2)))
#else
#define WEFT_NOT_READ
#define WEFT_NOT_READ_2
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------------------------------------------------- errors */

/** What a function returns. */
typedef enum weft_code {
  WEFT_OK = 0,
  WEFT_ERR = 1,            /**< an error of this rank; other ranks may not know of it */
  WEFT_ERR_HANDLE = 2,     /**< a handle is NULL, of another kind, or freed; or a pointer is NULL that may not be */
  WEFT_ERR_EVERYWHERE = 3, /**< the same error at the same place on every rank */
  WEFT_ERR_PEER = 4,       /**< another rank has failed first */
  WEFT_ERR_INPUT = 5,      /**< a file or a name given by the user is wrong */
  WEFT_ERR_MEMORY = 6      /**< no memory */
} weft_code;

/** The sentence of the last call of this thread that has failed; "" if none has. Valid until the next one fails. */
WEFT_API const char* weft_error_text(void);
/** Sets that sentence and returns WEFT_ERR, for callbacks. */
WEFT_API int weft_raise(const char* why);
/** Does nothing for WEFT_OK. Otherwise prints the sentence as one line and ends the job: status 2 for WEFT_ERR_INPUT,
 *  else 1. For programs that don't handle errors: weft_check(weft_exchange_commit(exchange)). */
WEFT_API void weft_check(int code);

/** The version of the library that is linked, "0.1.0"; WEFT_VERSION is that of the headers. At any time. */
WEFT_API const char* weft_version(void);
/** How it was built: "version", "commit" (empty if not from the repository), "mpi", "compiler" or "options"; "" for
 *  another word. At any time. */
WEFT_API const char* weft_build_info(const char* what);

/** A rank that waits for so many seconds while none of its messages completes gets an error; 0, the default: never. */
WEFT_API int weft_set_timeout(double seconds);
/** Before MPI_Finalize, in a program that goes on after an error: other ranks may still learn of it from this one, for
 *  at most so many seconds. Fails if an operation was destroyed while it was active: then end without MPI (_Exit). */
WEFT_API int weft_end(double seconds);
/** Warnings of weft (a long wait, a failed rank) go to `print` instead of stderr, without a line end; NULL: to stderr
 *  again. Any thread may call it, several at once; it must not call weft. */
WEFT_API int weft_set_warning_handler(void (*print)(void* context, const char* text), void* context);

/* --------------------------------------------------------------------------------------------------------- handles */

typedef struct weft_comm_s* weft_comm;                     /**< a communicator */
typedef struct weft_space_s* weft_space;                   /**< one communicator of several exchanges */
typedef struct weft_progress_s* weft_progress;             /**< makes MPI progress */
typedef struct weft_timeline_s* weft_timeline;             /**< records when this rank does what */
typedef struct weft_exchange_s* weft_exchange;             /**< a communication pattern, started many times */
typedef struct weft_requests_s* weft_requests;             /**< the list of a client of an exchange */
typedef struct weft_op_s* weft_op;                         /**< a reduction */
typedef struct weft_step_manager_s* weft_step_manager;     /**< runs the steps of a program with clients */
typedef struct weft_step_s* weft_step;                     /**< the running step, in a callback */
typedef struct weft_grid_s* weft_grid;                     /**< a grid of points in blocks over the ranks */
typedef struct weft_halo_s* weft_halo;                     /**< the ghost points of fields on a grid */
typedef struct weft_halo_exchange_s* weft_halo_exchange;   /**< a halo with an exchange of its own */
typedef struct weft_monitors_s* weft_monitors;             /**< diagnostics reduced over all ranks */
typedef struct weft_rounds_s* weft_rounds;                 /**< a collective by rounds of messages */
typedef struct weft_mailbox_s* weft_mailbox;               /**< active messages */
typedef struct weft_tuning_s* weft_tuning;                 /**< chooses how a program communicates */
typedef struct weft_setting_s* weft_setting;               /**< one way to communicate, in a callback */
typedef struct weft_graph_s* weft_graph;                   /**< who sends which numbers' values to whom */
typedef struct weft_overlap_report_s* weft_overlap_report; /**< how much was overlapped */
typedef struct weft_device_s* weft_device;                 /**< a device with memory and streams of its own */

/** A part or a collective of a list. Sends, receives and collectives can't be confused: each call checks. */
typedef uint64_t weft_part;

/** Duplicates an MPI communicator, so that weft's messages can't match the program's own. Collective. */
WEFT_API int weft_comm_create(MPI_Comm mpi, weft_comm* comm);
WEFT_API int weft_comm_free(weft_comm* comm);
WEFT_API int weft_comm_rank(weft_comm comm, int* rank, int* size);

/* ---------------------------------------------------------------------------------------------------------- memory */

/** The type of elements. The two ends of a message compare their types, except elements without a type. */
typedef uint32_t weft_type;
#define WEFT_TYPE_OF(kind, bytes) ((weft_type)(kind) << 24 | (weft_type)(bytes))
#define WEFT_BYTES(bytes)        \
  ((bytes) >> 24 ? (weft_type)-1 \
                 : WEFT_TYPE_OF(0, bytes)) /**< elements of so many bytes (below 16 MiB), such as structs */
#define WEFT_INT8 WEFT_TYPE_OF(1, 1)
#define WEFT_INT16 WEFT_TYPE_OF(1, 2)
#define WEFT_INT32 WEFT_TYPE_OF(1, 4)
#define WEFT_INT64 WEFT_TYPE_OF(1, 8)
#define WEFT_INT WEFT_TYPE_OF(1, sizeof(int))
#define WEFT_UINT8 WEFT_TYPE_OF(2, 1)
#define WEFT_UINT16 WEFT_TYPE_OF(2, 2)
#define WEFT_UINT32 WEFT_TYPE_OF(2, 4)
#define WEFT_UINT64 WEFT_TYPE_OF(2, 8)
#define WEFT_FLOAT WEFT_TYPE_OF(3, 4)
#define WEFT_DOUBLE WEFT_TYPE_OF(3, 8)
#define WEFT_FLOAT_COMPLEX WEFT_TYPE_OF(4, 8)
#define WEFT_DOUBLE_COMPLEX WEFT_TYPE_OF(4, 16)

/** One level of nested loops over memory. */
typedef struct weft_loop {
  size_t count;        /**< iterations */
  size_t stride_bytes; /**< from one to the next */
} weft_loop;

/** The memory of a part. Make it with one of the functions below. Both ends of a message may differ in form. */
typedef struct weft_region {
  size_t size; /**< sizeof(weft_region) */
  int form;    /**< which of the functions below made it */
  int up_to;   /**< see weft_up_to() */
  void* data;  /**< the array */
  weft_type type;
  int dimensions;         /**< box: of the array; strided: number of loops */
  size_t count;           /**< contiguous, indexed: elements; given: bytes; datatype: items */
  const size_t* extent;   /**< box: the array's; indexed: the indices */
  const size_t* first;    /**< box */
  const size_t* counts;   /**< box */
  const weft_loop* loops; /**< strided */
  MPI_Datatype datatype;  /**< datatype */
  weft_device device;     /**< see weft_on() */
  void* reserved[3];      /**< NULL; as the struct is passed by value, its size stays */
} weft_region;

enum { WEFT_CONTIGUOUS = 1, WEFT_BOX = 2, WEFT_STRIDED = 3, WEFT_INDEXED = 4, WEFT_GIVEN = 5, WEFT_DATATYPE = 6 };

WEFT_NOT_READ_2 static inline weft_region weft_region_of(int form, const void* data, weft_type type) {
  weft_region region;
  int i;
  region.size = sizeof region;
  region.form = form;
  region.up_to = 0;
  region.type = type;
  region.dimensions = 0;
  region.count = 0;
  region.extent = region.first = region.counts = NULL;
  region.loops = NULL;
  memcpy(&region.data, &data, sizeof data); /* a receive needs memory that may be written */
  region.datatype = MPI_DATATYPE_NULL;
  region.device = NULL;
  for (i = 0; i < 3; ++i) region.reserved[i] = NULL;
  return region;
}
/** `count` elements one after the other. */
WEFT_NOT_READ static inline weft_region weft_contiguous(const void* data, size_t count, weft_type type) {
  weft_region region = weft_region_of(WEFT_CONTIGUOUS, data, type);
  region.count = count;
  return region;
}
/** The elements [first, first + count) of a row-major array (last dimension fastest), of any number of dimensions. */
WEFT_NOT_READ static inline weft_region weft_box(const void* array, weft_type type, int dimensions,
                                                 const size_t* extent, const size_t* first, const size_t* count) {
  weft_region region = weft_region_of(WEFT_BOX, array, type);
  region.dimensions = dimensions;
  region.extent = extent;
  region.first = first;
  region.counts = count;
  return region;
}
/** The elements of nested loops, outermost first, from `data` on. */
WEFT_NOT_READ static inline weft_region weft_strided(const void* data, weft_type type, int loops,
                                                     const weft_loop* loop) {
  weft_region region = weft_region_of(WEFT_STRIDED, data, type);
  region.dimensions = loops;
  region.loops = loop;
  return region;
}
/** The elements array[index[0]], array[index[1]], ... */
WEFT_NOT_READ static inline weft_region weft_indexed(const void* array, weft_type type, size_t count,
                                                     const size_t* index) {
  weft_region region = weft_region_of(WEFT_INDEXED, array, type);
  region.count = count;
  region.extent = index;
  return region;
}
/** `count` items of an MPI datatype, which may be freed afterwards. Its elements have no type. */
WEFT_NOT_READ static inline weft_region weft_datatype(const void* data, size_t count, MPI_Datatype datatype) {
  weft_region region = weft_region_of(WEFT_DATATYPE, data, WEFT_BYTES(1));
  region.count = count;
  region.datatype = datatype;
  return region;
}
/** Memory of `bytes` bytes whose address is set later, and may change from start to start. */
static inline weft_region weft_given(size_t bytes) {
  weft_region region = weft_region_of(WEFT_GIVEN, NULL, WEFT_BYTES(1));
  region.count = bytes;
  return region;
}
/** The same memory for a part of *up to* its size: each start chooses the number of bytes. Contiguous, or given; the
 *  receive of a given one needs no memory (weft_exchange_take_received). */
static inline weft_region weft_up_to(weft_region region) {
  region.up_to = 1;
  return region;
}

/** The same memory on a device: an address of cudaMalloc or hipMalloc, or what OpenACC's host_data use_device and
 *  OpenMP's use_device_addr give. */
static inline weft_region weft_on(weft_region region, weft_device device) {
  region.device = device;
  return region;
}

/* --------------------------------------------------------------------------------------------------------- devices */

/** The device with this number, or -1: that of the current context. Fails if there is none, and says what is missing.
 */
WEFT_API int weft_device_cuda(int ordinal, weft_device* device);
WEFT_API int weft_device_hip(int ordinal, weft_device* device);
/** May be called before the exchanges that use it are freed. */
WEFT_API int weft_device_free(weft_device* device);
/** A queue of work: a cudaStream_t, a hipStream_t, or one of a test device. */
typedef struct weft_queue {
  weft_device device; /**< NULL: no queue; the host waits */
  void* stream;       /**< NULL: the default stream */
} weft_queue;

/** A device made of host memory, for tests (docs/device.md): its kernels run late, in an order that depends on `seed`,
 *  and the host can't access its memory. */
WEFT_API int weft_test_device_create(uint64_t seed, weft_device* device);
WEFT_API int weft_test_device_allocate(weft_device device, size_t bytes, void** memory);
WEFT_API int weft_test_device_release(weft_device device, void* memory);
WEFT_API int weft_test_device_queue(weft_device device, weft_queue* queue);
/** Where kernels access memory of the device. */
WEFT_API int weft_test_device_inside(weft_device device, void* memory, void** inside);
/** Queues a kernel, which may run in any thread. */
WEFT_API int weft_test_device_launch(weft_queue queue, void (*kernel)(void* context), void* context);
/** Waits for all that is in the queue; fails if a kernel has used memory that it may not. */
WEFT_API int weft_test_device_synchronize(weft_queue queue);

/* ---------------------------------------------------------------------------------------- what a client communicates
 */

/* `list`: from weft_exchange_client, or the argument of weft_client.request. `key`: the same on both ends of a message,
 * like a tag. `round`: 0 unless the data depend on those received in the round before. `part` may be NULL. */

/** Adds a send to the rank `peer`. */
WEFT_API int weft_send(weft_requests list, int peer, uint64_t key, weft_region region, int round, weft_part* part);
/** Adds a receive. */
WEFT_API int weft_receive(weft_requests list, int peer, uint64_t key, weft_region region, int round, weft_part* part);
/** The same with one region per buffer index, for programs that swap arrays. */
WEFT_API int weft_send_buffers(weft_requests list, int peer, uint64_t key, int buffers, const weft_region* regions,
                               int round, weft_part* part);
WEFT_API int weft_receive_buffers(weft_requests list, int peer, uint64_t key, int buffers, const weft_region* regions,
                                  int round, weft_part* part);

#define WEFT_SUM ((weft_op)1)
#define WEFT_MIN ((weft_op)2) /**< NaN if any value is one */
#define WEFT_MAX ((weft_op)3) /**< likewise */
/** Leaves left[i] combined with inout[i] in inout[i], for `count` elements; `left` is of lower ranks. Any thread. */
typedef void (*weft_combine)(const void* left, void* inout, size_t count);
/** A reduction of elements of WEFT_BYTES(element_bytes), or of numbers of that size. */
WEFT_API int weft_op_create(weft_combine combine, size_t element_bytes, int commutative, weft_op* op);
WEFT_API int weft_op_free(weft_op* op);

/** Adds a receive whose data are combined with the values of its memory: value = op(value, received value). Receives of
 *  a round that combine may share memory; they do so in the order of rounds, peers, clients' names and keys, so that
 *  sums have the same bits in every run, or `in_any_order`. The elements have the type of the region: for weft_given()
 *  and weft_datatype() set its `type` before. */
WEFT_API int weft_receive_combine(weft_requests list, int peer, uint64_t key, weft_region region, weft_op op,
                                  int in_any_order, int round, weft_part* part);
/** The same with one region per buffer index. */
WEFT_API int weft_receive_combine_buffers(weft_requests list, int peer, uint64_t key, int buffers,
                                          const weft_region* regions, weft_op op, int in_any_order, int round,
                                          weft_part* part);

/** out[i] = all ranks' in[i] combined. `in` and `out` don't overlap. */
WEFT_API int weft_all_reduce(weft_requests list, const void* in, void* out, size_t count, weft_type type, weft_op op,
                             int round, weft_part* part);
/** The same on the root only; elsewhere `out` may be NULL. */
WEFT_API int weft_reduce(weft_requests list, int root, const void* in, void* out, size_t count, weft_type type,
                         weft_op op, int round, weft_part* part);
WEFT_API int weft_broadcast(weft_requests list, int root, void* data, size_t count, weft_type type, int round,
                            weft_part* part);
/** counts[r] elements of each rank r, in the order of ranks; this rank sends counts[its rank]. On the root `out` has
 *  the sum of them; elsewhere it may be NULL, but not `counts`. */
WEFT_API int weft_gather(weft_requests list, int root, const void* in, void* out, const size_t* counts, weft_type type,
                         int round, weft_part* part);
WEFT_API int weft_all_gather(weft_requests list, const void* in, void* out, const size_t* counts, weft_type type,
                             int round, weft_part* part);
WEFT_API int weft_all_to_all(weft_requests list, const void* in, const size_t* in_counts, void* out,
                             const size_t* out_counts, weft_type type, int round, weft_part* part);
WEFT_API int weft_barrier(weft_requests list, int round, weft_part* part);

/** When all parts of this client in `round` are complete, `then` is called, perhaps by a progress thread, and the
 *  client's parts of the next round are sent. Register them in order, from round 0 on. */
WEFT_API int weft_continuation(weft_requests list, int round, int (*then)(void* context), void* context);
/** A text that must be the same on all ranks, such as "grid of 64 x 64 points". */
WEFT_API int weft_agree_on(weft_requests list, const char* text);

/* -------------------------------------------------------------------------------------------- progress and timelines
 */

/** How MPI progress is made between start and wait. */
typedef enum weft_progress_kind {
  WEFT_POLLING = 0,             /**< by calls of ..._progress, at most one test per interval */
  WEFT_PASSIVE = 1,             /**< not at all */
  WEFT_THREAD = 2,              /**< by a thread; needs MPI_THREAD_MULTIPLE, as the next one */
  WEFT_SEND_RECEIVE_THREADS = 3 /**< a sending and a receiving thread, which also pack and unpack */
} weft_progress_kind;
typedef struct weft_progress_options {
  size_t size;
  int kind;                /**< a weft_progress_kind */
  int threads;             /**< WEFT_SEND_RECEIVE_THREADS: 1 or 2 (0: 2) */
  double interval_seconds; /**< polling: smallest time between two tests; 0: 50 us */
  int pin_count;           /**< the core of each thread; 0: the system places them */
  const int* pin;
  void* reserved[4]; /**< NULL, likewise */
} weft_progress_options;
/** Progress of any number of exchanges. */
WEFT_API int weft_progress_create(weft_comm comm, const weft_progress_options* options, weft_progress* progress);
/** May be called before the exchanges that use it are freed. */
WEFT_API int weft_progress_free(weft_progress* progress);

/** `keep_spans`: keeps every span for weft_timeline_write_trace. */
WEFT_API int weft_timeline_create(int keep_spans, weft_timeline* timeline);
WEFT_API int weft_timeline_free(weft_timeline* timeline);
/** What a rank does, for weft_timeline_add. */
typedef enum weft_activity {
  WEFT_COMPUTE = 0,
  WEFT_PACK = 1,
  WEFT_WAIT = 2,
  WEFT_UNPACK = 3,
  WEFT_IN_FLIGHT = 4
} weft_activity;
/** Adds a span to the track with this name (a client's); times are those of weft_seconds. */
WEFT_API int weft_timeline_add(weft_timeline timeline, const char* track, int activity, double start, double finish);
WEFT_API int weft_timeline_total(weft_timeline timeline, const char* track, int activity, double* seconds);
/** Deletes totals and spans, for example after a warm-up. */
WEFT_API int weft_timeline_reset(weft_timeline timeline);
/** Writes the spans of all ranks as a Chrome trace. Collective. */
WEFT_API int weft_timeline_write_trace(weft_timeline timeline, weft_comm comm, const char* path);
WEFT_API double weft_seconds(void);

/* -------------------------------------------------------------------------------------------------------- exchanges */

/** Which parts share a message. */
typedef enum weft_grouping { WEFT_PER_PEER = 0, WEFT_PER_PART = 1, WEFT_BY_SIZE = 2, WEFT_PER_NODE = 3 } weft_grouping;
/** What carries a message. */
typedef enum weft_carrier {
  WEFT_MESSAGES = 0,
  WEFT_SYNCHRONOUS = 1,
  WEFT_DATATYPES = 2,
  WEFT_PARTITIONED = 3
} weft_carrier;
#define WEFT_NEVER_CUT SIZE_MAX

/** How messages are sent. Results never depend on it. */
typedef struct weft_message_options {
  size_t size;
  int grouping;              /**< a weft_grouping */
  int carrier;               /**< a weft_carrier, of messages between nodes */
  size_t packed_limit_bytes; /**< parts are packed together up to this size; 0: MPI's eager limit */
  size_t by_size_bytes;      /**< the same for WEFT_BY_SIZE; 0: packed_limit_bytes, at most 16 KiB */
  size_t piece_bytes;        /**< larger messages are cut; 0: as recommended; WEFT_NEVER_CUT: not */
  double watchdog_seconds;   /**< a longer wait prints the missing parts; 0: never */
  int shared_memory;         /**< ranks of a node exchange through shared memory */
  int defer_unpacking;       /**< parts are unpacked after ..._accept */
  size_t most_requests;      /**< at most so many messages are active at a time; 0: no limit */
  size_t direct_from_device; /**< 1: MPI gets addresses of the device (docs/device.md) */
  void* reserved[2];         /**< NULL; as the struct is in others, its size stays */
} weft_message_options;

typedef struct weft_exchange_options {
  size_t size;
  weft_message_options messages; /**< all zero: its defaults; otherwise set its size, too */
  weft_progress progress;        /**< NULL: polling with its defaults */
  weft_timeline timeline;        /**< records what the exchange does; may be NULL */
  weft_space space;              /**< shares one communicator with other exchanges; may be NULL */
  int ignores_buffer_indices;    /**< buffer indices are not compared between ranks */
} weft_exchange_options;

/** One duplicate of the communicator for several exchanges, which are then committed, and start their collectives, in
 *  the same order on all ranks. Collective. */
WEFT_API int weft_space_create(weft_comm comm, weft_space* space);
/** May be called before the exchanges that use it are freed. */
WEFT_API int weft_space_free(weft_space* space);

/** An exchange without clients. Collective. */
WEFT_API int weft_exchange_create(weft_comm comm, const weft_exchange_options* options, weft_exchange* exchange);
/** Ends an active start: waits for it, or if that can't be, the exchange fails on all ranks. Collective. */
WEFT_API int weft_exchange_free(weft_exchange* exchange);
/** Adds a client; fill its list until the commit. Freed with the exchange. */
WEFT_API int weft_exchange_client(weft_exchange exchange, const char* name, weft_requests* list);
/** Compares both ends of every part and prepares all messages. Collective. */
WEFT_API int weft_exchange_commit(weft_exchange exchange);
/** Posts all receives. `buffer_index`, the same on all ranks, selects the region of parts with several. */
WEFT_API int weft_exchange_start(weft_exchange exchange, uint64_t buffer_index);
/** The same for parts on a device: their memory may be overwritten after what the queue holds now, and ..._ready sends
 * a part after what it holds then. */
WEFT_API int weft_exchange_start_queue(weft_exchange exchange, uint64_t buffer_index, weft_queue queue);

/** The part may be sent (the collective started): its data don't change until its round was waited for. */
WEFT_API int weft_exchange_ready(weft_exchange exchange, weft_part part);
/** The same for a part on a device, which is sent after what this queue holds now. */
WEFT_API int weft_exchange_ready_queue(weft_exchange exchange, weft_part part, weft_queue queue);
/** The same for a part of up to n bytes: the first `bytes` are sent. */
WEFT_API int weft_exchange_ready_bytes(weft_exchange exchange, weft_part part, size_t bytes);
/** The same for a part with weft_given(): its data are in `region`, in this start only. */
WEFT_API int weft_exchange_ready_region(weft_exchange exchange, weft_part part, weft_region region);
/** All sends and collectives of a client and round that are not ready yet. */
WEFT_API int weft_exchange_ready_all(weft_exchange exchange, weft_requests client, int round);
/** The part may be unpacked (defer_unpacking). */
WEFT_API int weft_exchange_accept(weft_exchange exchange, weft_part part);
WEFT_API int weft_exchange_accept_queue(weft_exchange exchange, weft_part part, weft_queue queue);
WEFT_API int weft_exchange_accept_all(weft_exchange exchange, weft_requests client, int round);
/** Makes MPI progress if that is due; call it now and then while computing. */
WEFT_API int weft_exchange_progress(weft_exchange exchange);
/** Whether the part was received and unpacked. */
WEFT_API int weft_exchange_arrived(weft_exchange exchange, weft_part part, int* arrived);
/** Makes progress; whether weft_exchange_wait would return at once. */
WEFT_API int weft_exchange_test(weft_exchange exchange, int* done);
/** The next wait (and ..._test) also waits for this active request of the program or of another library. It stays at
 *  its address until then, and is MPI_REQUEST_NULL afterwards. If the exchange fails, it is left alone. */
WEFT_API int weft_exchange_wait_also(weft_exchange exchange, MPI_Request* request);
/** Waits for one round; those before it were waited for. */
WEFT_API int weft_exchange_wait_round(weft_exchange exchange, int round);
/** Waits for all rounds: the start is over. (The ..._progress functions may be called at any time; all others of a
 * start only until then.) */
WEFT_API int weft_exchange_wait(weft_exchange exchange);
/** The same for parts on a device: the host waits for the messages, and the queue for their unpacking. */
WEFT_API int weft_exchange_wait_round_queue(weft_exchange exchange, int round, weft_queue queue);
WEFT_API int weft_exchange_wait_queue(weft_exchange exchange, weft_queue queue);

/** Sets the memory of a part with weft_given() from the next start on. Not in a start. */
WEFT_API int weft_exchange_rebind(weft_exchange exchange, weft_part part, weft_region region);
WEFT_API int weft_exchange_received_bytes(weft_exchange exchange, weft_part part, size_t* bytes);
WEFT_API int weft_exchange_sent_bytes(weft_exchange exchange, weft_part part, size_t* bytes);
/** What was received for a part of up to n bytes without memory; free it with weft_memory_free. */
WEFT_API int weft_exchange_take_received(weft_exchange exchange, weft_part part, void** data, size_t* bytes);
WEFT_API int weft_memory_free(void* data);

/** Makes the exchange fail on all ranks, for an error that keeps this rank from going on. */
WEFT_API int weft_exchange_fail(weft_exchange exchange, const char* why);
WEFT_API int weft_exchange_has_failed(weft_exchange exchange, int* failed);
/** Neighbours, messages, parts, bytes. The text is valid until the next call with this exchange. */
WEFT_API int weft_exchange_describe(weft_exchange exchange, const char** text);

/* ------------------------------------------------------------------------------------------------------------ steps */

/** A module of the program that communicates once per step. Functions that it does not need are NULL. `before`,
 * `during` and `after` are called once per round, `finish` once. */
typedef struct weft_client {
  size_t size;
  void* context;
  int (*request)(void* context, weft_requests list); /**< lists parts and collectives; required */
  int (*before)(void* context, weft_step step);      /**< computes what is sent */
  int (*during)(void* context, weft_step step);      /**< computes what needs no data of other ranks */
  int (*after)(void* context, weft_step step);       /**< uses the received data */
  int (*finish)(void* context, weft_step step);      /**< once, after the last `after` of all clients */
} weft_client;

typedef struct weft_step_options {
  size_t size;
  weft_message_options messages; /**< as in weft_exchange_options, also progress */
  weft_progress_options progress;
  weft_timeline timeline; /**< may be NULL */
  int separate;           /**< each client has messages and waits of its own, as without weft */
} weft_step_options;

/** What this rank has done since the beginning, or weft_step_manager_reset_counts. */
typedef struct weft_step_counts {
  size_t size;
  int64_t steps, waits, collectives, messages, bytes;
} weft_step_counts;

/** Runs steps whose clients share messages and waits. Collective, as all functions of it that don't say "local". */
WEFT_API int weft_step_manager_create(weft_comm comm, const weft_step_options* options, weft_step_manager* manager);
WEFT_API int weft_step_manager_free(weft_step_manager* manager);
/** Adds a client, called in the steps n with n % every == offset % every (every 0: 1). Its context is borrowed. */
WEFT_API int weft_step_manager_add(weft_step_manager manager, const char* name, const weft_client* client,
                                   int64_t every, int64_t offset);
/** The same for a halo: its parts are listed by weft, before those of client->request. `client` or its `request` may be
 *  NULL. The ghost points are filled in the last round's `after` (weft_halo_rounds). */
WEFT_API int weft_step_manager_add_halo(weft_step_manager manager, const char* name, weft_halo halo,
                                        const weft_client* client, int64_t every, int64_t offset);
WEFT_API int weft_step_manager_remove(weft_step_manager manager, const char* name);
/** Calls the client's request() again. */
WEFT_API int weft_step_manager_changed(weft_step_manager manager, const char* name);
WEFT_API int weft_step_manager_activate(weft_step_manager manager, const char* name, int on);
/** Sets the memory of a part with weft_given(), between steps. Local. */
WEFT_API int weft_step_manager_rebind(weft_step_manager manager, const char* name, weft_part part, weft_region region);
/** Sets the address of a field of a halo client that has weft_field.moves, between steps. Local. */
WEFT_API int weft_step_manager_rebind_field(weft_step_manager manager, const char* name, size_t field, void* data);
/** Uses other options (except `timeline`) from the next step on. `keep`: the exchanges of earlier ones are kept. */
WEFT_API int weft_step_manager_use(weft_step_manager manager, const weft_step_options* options, int keep);
/** Sets the number of the next step, for a continued run. */
WEFT_API int weft_step_manager_start_at(weft_step_manager manager, int64_t step);
WEFT_API int weft_step_manager_run_step(weft_step_manager manager);
/** The same with a queue for parts on a device: what `before` queues in it is sent, and what `after` queues sees what
 *  was received. */
WEFT_API int weft_step_manager_run_step_queue(weft_step_manager manager, weft_queue queue);
/** The number of the current step, or of the next one. Local. */
WEFT_API int weft_step_manager_step(weft_step_manager manager, int64_t* step);
/** Seconds of a step's communication alone: this rank's median of `repeats`. */
WEFT_API int weft_step_manager_measure_alone(weft_step_manager manager, int repeats, double* seconds);
/** Local; set counts->size before. */
WEFT_API int weft_step_manager_counts(weft_step_manager manager, weft_step_counts* counts);
WEFT_API int weft_step_manager_reset_counts(weft_step_manager manager);
/** Local, as the next one. */
WEFT_API int weft_step_manager_fail(weft_step_manager manager, const char* why);
WEFT_API int weft_step_manager_has_failed(weft_step_manager manager, int* failed);
/** The exchanges of the next step; valid until the next call with this manager. */
WEFT_API int weft_step_manager_describe(weft_step_manager manager, const char** text);

/* In callbacks of a client. */
WEFT_API int weft_step_number(weft_step step, int64_t* number, int* round);
WEFT_API int weft_step_ready(weft_step step, weft_part part);
/** For a part on a device that another queue writes, or reads. */
WEFT_API int weft_step_ready_queue(weft_step step, weft_part part, weft_queue queue);
WEFT_API int weft_step_accept_queue(weft_step step, weft_part part, weft_queue queue);
WEFT_API int weft_step_ready_bytes(weft_step step, weft_part part, size_t bytes);
WEFT_API int weft_step_ready_region(weft_step step, weft_part part, weft_region region);
WEFT_API int weft_step_accept(weft_step step, weft_part part);
WEFT_API int weft_step_received_bytes(weft_step step, weft_part part, size_t* bytes);
WEFT_API int weft_step_take_received(weft_step step, weft_part part, void** data, size_t* bytes);
WEFT_API int weft_step_wait_also(weft_step step, MPI_Request* request);
WEFT_API int weft_step_progress(weft_step step);

/* ------------------------------------------------------------------------------------------------------------ halos */

/** A box of points: unused axes have first 0 and count 1. */
typedef struct weft_points {
  size_t first[3], count[3];
} weft_points;

/** Points in blocks over the ranks of a communicator. `dimensions`: 1 to 3. `processes`: ranks along each axis, 0 where
 *  weft chooses; NULL: everywhere. `periodic`: NULL: nowhere. Local; the same arguments on all ranks. */
WEFT_API int weft_grid_create(weft_comm comm, int dimensions, const size_t* extent, const int* processes,
                              const int* periodic, weft_grid* grid);
/** The same with blocks of given lengths: lengths[axis][i] points along an axis for the processes at position i of it.
 *  Ranks are numbered as those of MPI_Cart_create: with `comm` made from its communicator, each is where MPI has it. */
WEFT_API int weft_grid_create_blocks(weft_comm comm, int dimensions, const int* processes, const size_t* const* lengths,
                                     const int* periodic, weft_grid* grid);
WEFT_API int weft_grid_free(weft_grid* grid);
/** The points of a rank, numbered over the whole grid. */
WEFT_API int weft_grid_block(weft_grid grid, int rank, weft_points* block);
/** Ranks along each axis, and the position of a rank; arrays of 3, each may be NULL. */
WEFT_API int weft_grid_processes(weft_grid grid, int rank, int* processes, int* position);
/** The rank in a direction (-1, 0 or 1 along each of the 3 axes); -1 beyond an edge. */
WEFT_API int weft_grid_neighbour(weft_grid grid, const int* direction, int* rank);

typedef enum weft_order { WEFT_ROW_MAJOR = 0, WEFT_COLUMN_MAJOR = 1 } weft_order;
typedef enum weft_reads { WEFT_READS_ALL = 0, WEFT_READS_FACES = 1 } weft_reads;

/** An array with values for each point of this rank's block and its ghost points. */
typedef struct weft_field {
  size_t size;
  void* data; /**< the first element, ghosts included */
  weft_type type;
  int order;                  /**< a weft_order: which axis is contiguous */
  size_t components;          /**< values per point; 0: 1 */
  size_t site_stride;         /**< elements from point to point; 0: 1 */
  size_t component_stride;    /**< elements from component to component; 0: as many as the array has points */
  size_t layers;              /**< ghost points on each side; 0: the halo's width */
  size_t pitch;               /**< points from row to row along the contiguous axis; 0: no padding */
  int reads;                  /**< a weft_reads: which ghost points the computation reads */
  int moves;                  /**< another address in each start (..._rebind, ..._rebind_field) */
  const int (*velocities)[3]; /**< of a lattice-Boltzmann scheme, one per component: only what it reads; may be NULL */
  const char* name;           /**< for messages to the user; may be NULL */
  weft_device device;         /**< on which the array lies; NULL: the host */
} weft_field;

typedef enum weft_halo_scheme { WEFT_DIRECT = 0, WEFT_BY_DIMENSION = 1, WEFT_REFERENCE = 2 } weft_halo_scheme;
typedef enum weft_halo_payload { WEFT_WHOLE = 0, WEFT_DIRECTIONS = 1, WEFT_REDUCED = 2 } weft_halo_payload;
typedef struct weft_halo_options {
  size_t size;
  size_t width; /**< ghost points on each side; 0: 1 */
  int scheme;   /**< a weft_halo_scheme */
  int payload;  /**< a weft_halo_payload */
  int reverse;  /**< owners get what was written into ghost points: needs velocities, or weft_halo_add_combine */
} weft_halo_options;

WEFT_API int weft_halo_create(weft_grid grid, const weft_halo_options* options, weft_halo* halo);
WEFT_API int weft_halo_free(weft_halo* halo);
/** Adds a field. `number` may be NULL. */
WEFT_API int weft_halo_add(weft_halo halo, const weft_field* field, size_t* number);
/** The same for weft_halo_options.reverse: owners combine the values of all ghost points (that `reads` names) with
 *  their own, such as by WEFT_SUM. Sums have the same bits in every run. */
WEFT_API int weft_halo_add_combine(weft_halo halo, const weft_field* field, weft_op op, size_t* number);
/** Lists the parts of all fields, for a program with its own exchange. */
WEFT_API int weft_halo_request(weft_halo halo, weft_requests list);
WEFT_API int weft_halo_rounds(weft_halo halo, int* rounds);
/** The points that need no ghost point; from the block's own first point. */
WEFT_API int weft_halo_interior(weft_halo halo, weft_points* interior);
/** The others, in at most 6 boxes. */
WEFT_API int weft_halo_boundary(weft_halo halo, int* boxes, weft_points boundary[6]);
WEFT_API int weft_halo_describe(weft_halo halo, const char** text);

/** An exchange of the halo, which is copied. Collective. */
WEFT_API int weft_halo_exchange_create(weft_comm comm, weft_halo halo, const weft_exchange_options* options,
                                       weft_halo_exchange* exchange);
WEFT_API int weft_halo_exchange_free(weft_halo_exchange* exchange);
/** Sends what the neighbours need; from now on ghost points may be overwritten. */
WEFT_API int weft_halo_exchange_start(weft_halo_exchange exchange, uint64_t buffer_index);
/** The same for fields on a device. */
WEFT_API int weft_halo_exchange_start_queue(weft_halo_exchange exchange, uint64_t buffer_index, weft_queue queue);
WEFT_API int weft_halo_exchange_finish_queue(weft_halo_exchange exchange, weft_queue queue);
WEFT_API int weft_halo_exchange_progress(weft_halo_exchange exchange);
/** Returns when all ghost points are filled. */
WEFT_API int weft_halo_exchange_finish(weft_halo_exchange exchange);
/** Sets the address of a field with weft_field.moves. */
WEFT_API int weft_halo_exchange_rebind(weft_halo_exchange exchange, size_t field, void* data);
WEFT_API int weft_halo_exchange_fail(weft_halo_exchange exchange, const char* why);
WEFT_API int weft_halo_exchange_has_failed(weft_halo_exchange exchange, int* failed);

/* ----------------------------------------------------------------------------------------------------------- graphs */

/** Finds the owners of numbers: this rank owns `owned` and wants copies of `wanted`. The numbers are in any order, with
 *  any gaps; each has one owner. Collective. If nobody owns a wanted number, or two ranks own one, it fails on all
 *  ranks and names the number. */
WEFT_API int weft_graph_create(weft_comm comm, size_t owned_count, const uint64_t* owned, size_t wanted_count,
                               const uint64_t* wanted, weft_graph* graph);
/** The graph of a sparse matrix, of which this rank has the rows of `owned` in compressed rows: row i has the columns
 *  columns[row_starts[i]] to columns[row_starts[i + 1] - 1]. Vectors have the values of `owned`, and behind them the
 *  `copies`. local_columns[k]: where a vector has the value of columns[k]. `rows`: first the `interior` rows, all of
 *  whose columns are owned, then the others. */
WEFT_API int weft_graph_create_matrix(weft_comm comm, size_t owned_count, const uint64_t* owned,
                                      const size_t* row_starts, const uint64_t* columns, uint32_t* local_columns,
                                      uint32_t* rows, size_t* interior, size_t* copies, weft_graph* graph);
/** May be called before the exchanges whose lists it has filled are freed. */
WEFT_API int weft_graph_free(weft_graph* graph);
/** How many ranks want numbers of this rank, and of how many ranks it wants some; each may include itself. */
WEFT_API int weft_graph_neighbours(weft_graph graph, size_t* readers, size_t* owners);

/** An array with values of numbers: component c of the i-th one is element i * stride + c * component_stride. */
typedef struct weft_values {
  size_t size;
  void* data;
  size_t count; /**< elements of the array */
  weft_type type;
  size_t components;       /**< values per number; 0: 1 */
  size_t stride;           /**< elements from number to number; 0: `components` */
  size_t component_stride; /**< elements from component to component; 0: 1 */
} weft_values;
/** Adds the parts by which copies get their owners' values: a send to each reader, a receive from each owner. Both
 *  arrays have the same type and components. `parts` gets these sends, then the receives; may be NULL. */
WEFT_API int weft_graph_to_copies(weft_graph graph, weft_requests list, uint64_t key, const weft_values* owned,
                                  const weft_values* copies, int round, weft_part* parts);
/** Adds those by which owners get the copies, combined with their own values as in weft_receive_combine: a send to each
 *  owner, a receive from each reader. `op` NULL: a copy replaces the value, and only one rank may want a number. */
WEFT_API int weft_graph_to_owners(weft_graph graph, weft_requests list, uint64_t key, const weft_values* copies,
                                  const weft_values* owned, weft_op op, int in_any_order, int round, weft_part* parts);

/* ------------------------------------------------------------------------------------------- collectives in a step */

/** A diagnostic that is reduced over all ranks. */
typedef struct weft_monitor {
  size_t size;
  void* context;
  const char* name;                                           /**< compared between ranks */
  size_t value_bytes;                                         /**< size of its value */
  int commutative;                                            /**< ranks may be combined in any order */
  weft_combine combine;                                       /**< of two values; count is 1 */
  int (*local)(void* context, void* value);                   /**< writes the value of this rank */
  int (*use)(void* context, const void* value, int64_t step); /**< gets that of all ranks, on every rank */
} weft_monitor;

typedef enum weft_monitors_way {
  WEFT_NONBLOCKING = 0,
  WEFT_BLOCKING = 1,
  WEFT_ROUNDS = 2,
  WEFT_PHASED = 3
} weft_monitors_way;
typedef enum weft_algorithm {
  WEFT_ANY_ALGORITHM = 0, /**< the one with the fewest rounds */
  WEFT_RECURSIVE_DOUBLING = 1,
  WEFT_DISSEMINATION = 2,
  WEFT_BINOMIAL = 3,
  WEFT_TREE = 4,
  WEFT_BRUCK = 5,
  WEFT_RING = 6
} weft_algorithm;
typedef struct weft_monitors_options {
  size_t size;
  int way;       /**< a weft_monitors_way */
  int algorithm; /**< a weft_algorithm, for WEFT_ROUNDS and WEFT_PHASED */
  int arity;     /**< WEFT_TREE: children of a rank; 0: 4 */
  int64_t every, offset;
} weft_monitors_options;

WEFT_API int weft_monitors_create(weft_comm comm, weft_monitors* monitors);
WEFT_API int weft_monitors_free(weft_monitors* monitors);
/** Before the start, in the same order on all ranks. */
WEFT_API int weft_monitors_add(weft_monitors monitors, const weft_monitor* monitor);
/** Adds them to a manager as one client, with one all-reduce. Collective. */
WEFT_API int weft_monitors_start(weft_monitors monitors, weft_step_manager manager, const char* name,
                                 const weft_monitors_options* options);
WEFT_API int weft_monitors_stop(weft_monitors monitors, weft_step_manager manager);
/** Reduces them at once, between steps. Collective. */
WEFT_API int weft_monitors_read_now(weft_monitors monitors, int64_t step);
/** Whether no reduction is unfinished before this step. */
WEFT_API int weft_monitors_idle_before(weft_monitors monitors, int64_t step, int* idle);

typedef enum weft_collective_kind {
  WEFT_COLLECTIVE_BARRIER = 0,
  WEFT_COLLECTIVE_BROADCAST = 1,
  WEFT_COLLECTIVE_REDUCE = 2,
  WEFT_COLLECTIVE_ALL_REDUCE = 3,
  WEFT_COLLECTIVE_ALL_GATHER = 4,
  WEFT_COLLECTIVE_ALL_TO_ALL = 5
} weft_collective_kind;
/** A collective by weft's own rounds of messages, which share those of the step. */
typedef struct weft_rounds_options {
  size_t size;
  int kind;      /**< a weft_collective_kind */
  int algorithm; /**< a weft_algorithm */
  int arity, root;
  const void* in; /**< borrowed; broadcast: unused */
  void* out;      /**< borrowed */
  size_t count;   /**< elements of a rank's block: of `in`; all-to-all: for each rank; broadcast: of `out` */
  weft_type type;
  weft_op op; /**< of reductions */
  int phased; /**< one round per step instead of all in one */
  int64_t every, offset;
  void* context;
  int (*load)(void* context); /**< called just before `in` is read; may be NULL */
  int (*use)(void* context);  /**< called when `out` is complete; may be NULL */
} weft_rounds_options;
WEFT_API int weft_rounds_create(weft_comm comm, const weft_rounds_options* options, weft_rounds* rounds);
WEFT_API int weft_rounds_free(weft_rounds* rounds);
WEFT_API int weft_rounds_count(weft_rounds rounds, int* count);
/** Adds its clients to a manager; remove them before it is freed. Collective. */
WEFT_API int weft_rounds_add(weft_rounds rounds, weft_step_manager manager, const char* name);
WEFT_API int weft_rounds_remove(weft_rounds rounds, weft_step_manager manager);

/* --------------------------------------------------------------------------------------------------------- pipeline */

/** Iterations [first, first + count) of this rank's loop; perhaps none. */
typedef struct weft_tile {
  size_t size;
  size_t index, first, count;
  size_t slot;  /**< buffer of this tile: index modulo (window + 1) */
  void* inside; /**< weft's */
} weft_tile;
/** Makes progress on the tiles in flight; 4 to 16 calls per tile are enough. */
WEFT_API int weft_tile_progress(const weft_tile* tile);

/** What a tile's communication is: a started exchange, or an MPI request (of a non-blocking or persistent call). */
typedef struct weft_communication {
  size_t size;
  weft_exchange exchange; /**< started; NULL: the request */
  MPI_Request request;    /**< if this rank fails, others may wait for it for ever, unless there is a time-out */
} weft_communication;

typedef struct weft_pipeline_options {
  size_t size;
  size_t iterations; /**< of this rank */
  size_t tile;       /**< iterations per tile; 0: 1 */
  size_t window;     /**< tiles in flight while the next one is computed */
  size_t tiles;      /**< the largest number of tiles of any rank; 0: found by an all-reduce */
  weft_progress progress;
  weft_timeline timeline;
  const char* client; /**< the timeline's track; may be NULL */
  void* context;
  int (*compute)(void* context, const weft_tile* tile);
  int (*communicate)(void* context, const weft_tile* tile, weft_communication* started); /**< must not block */
  int (*consume)(void* context, const weft_tile* tile);
} weft_pipeline_options;
/** Computes, communicates and consumes all tiles. Collective. */
WEFT_API int weft_pipeline_run(weft_comm comm, const weft_pipeline_options* options);

/* ---------------------------------------------------------------------------------------------------------- mailbox */

typedef struct weft_mailbox_options {
  size_t size;
  size_t bucket_bytes;  /**< messages to a rank are aggregated up to this size; 0: by the eager limit */
  int buckets_per_peer; /**< sent and not handled yet; 0: 4 */
} weft_mailbox_options;
/** Handles one message; `data` (aligned to 16) is valid until it returns. It may post, and never waits. */
typedef int (*weft_handler)(void* context, int from, const void* data, size_t bytes);

WEFT_API int weft_mailbox_create(weft_comm comm, const weft_mailbox_options* options, weft_mailbox* mailbox);
/** Collective. */
WEFT_API int weft_mailbox_free(weft_mailbox* mailbox);
/** Registers the handler of messages of a type, also on ranks that only send them. */
WEFT_API int weft_mailbox_on(weft_mailbox mailbox, uint32_t type, weft_handler handler, void* context);
/** Posts a message, which is copied. Runs handlers if there is no room. */
WEFT_API int weft_mailbox_post(weft_mailbox mailbox, int rank, uint32_t type, const void* data, size_t bytes);
/** Handles what has arrived. */
WEFT_API int weft_mailbox_poll(weft_mailbox mailbox);
/** Returns when every message of every rank has been handled. Collective. */
WEFT_API int weft_mailbox_drain(weft_mailbox mailbox);
/** Messages since the beginning; each may be NULL. */
WEFT_API int weft_mailbox_counts(weft_mailbox mailbox, int64_t* posted, int64_t* handled);

/* ------------------------------------------------------------------------------------------------ tuning and report */

typedef struct weft_tuning_options {
  size_t size;
  int candidates;               /**< 0: those of a step */
  const char* const* candidate; /**< each "name=value name=value ..."; the first is the program without overlap */
  int again;                    /**< measure even if a result is stored */
  size_t warm_up;               /**< iterations after a change that are not measured; 0: 1 */
  size_t period;                /**< a measurement has a multiple of so many iterations; 0: 1 */
  size_t iterations;            /**< of the program, of which at most half are measured; 0: no limit */
  double limit_seconds;         /**< for all measurements; 0: 30 */
  double sample_seconds;        /**< for one; 0: 2 ms */
  const char* file;             /**< of stored results; NULL: the user's */
} weft_tuning_options;
/** Collective. `problem` names what is tuned, such as "heat 512x512". */
WEFT_API int weft_tuning_create(weft_comm comm, const char* problem, const weft_tuning_options* options,
                                weft_tuning* tuning);
WEFT_API int weft_tuning_free(weft_tuning* tuning);
/** Calls `use` if the setting changes, then `iteration` once. Collective. */
WEFT_API int weft_tuning_iterate(weft_tuning tuning, int (*use)(void* context, weft_setting setting),
                                 int (*iteration)(void* context), void* context);
/** Iterates until it has chosen. Collective. */
WEFT_API int weft_tuning_dry_run(weft_tuning tuning, int (*use)(void* context, weft_setting setting),
                                 int (*iteration)(void* context), void* context);
WEFT_API int weft_tuning_settled(weft_tuning tuning, int* settled);
/** A line for the user: what was chosen, and why. */
WEFT_API int weft_tuning_text(weft_tuning tuning, const char** text);

/* In `use`. */
/** The value of a name; NULL if the setting has none. Valid until the callback returns. */
WEFT_API int weft_setting_value(weft_setting setting, const char* name, const char** value);
WEFT_API int weft_setting_number(weft_setting setting, const char* name, size_t otherwise, size_t* number);
/** Sets the options that the setting names; others stay. */
WEFT_API int weft_setting_step_options(weft_setting setting, weft_step_options* options);
WEFT_API int weft_setting_message_options(weft_setting setting, weft_message_options* options);

/** Reports what a manager counted and its timeline recorded since both were reset; `repeats` > 0: the communication
 *  alone is measured, which the overlap fraction needs. `clients`: names of tracks. Collective. */
WEFT_API int weft_overlap_report_create(weft_comm comm, weft_step_manager manager, weft_timeline timeline, int clients,
                                        const char* const* names, int repeats, weft_overlap_report* report);
WEFT_API int weft_overlap_report_free(weft_overlap_report* report);
/** 0 to 1; 0 if the communication alone was not measured. */
WEFT_API int weft_overlap_report_fraction(weft_overlap_report report, double* fraction);
/** Tables for the user; JSON for programs. Valid until the report is freed. */
WEFT_API int weft_overlap_report_text(weft_overlap_report report, const char** text);
WEFT_API int weft_overlap_report_json(weft_overlap_report report, const char** json);

#ifdef __cplusplus
}
#endif
#endif
