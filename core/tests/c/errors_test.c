/* SPDX-License-Identifier: BSD-3-Clause */
/* Bad use gives a code and one sentence, and changes nothing. */
#include "test.h"

static void handles(void) {
  weft_exchange none = NULL, exchange, copy;
  weft_grid grid;
  weft_requests list, other_list;
  weft_exchange other;
  const size_t extent[1] = {100};
  int answer = 0;
  size_t bytes = 0;
  REFUSED(WEFT_ERR_HANDLE, "weft_exchange_commit: The exchange is NULL", weft_exchange_commit(none));
  REFUSED(WEFT_ERR_HANDLE, "no handle of weft", weft_exchange_commit((weft_exchange)(void*)&none));
  REFUSED(WEFT_ERR_HANDLE, "no handle of weft", weft_exchange_commit((weft_exchange)(uintptr_t)0x123456789abcdef));
  OK(weft_grid_create(world, 1, extent, NULL, NULL, &grid));
  REFUSED(WEFT_ERR_HANDLE, "another kind", weft_exchange_commit((weft_exchange)(void*)grid));
  OK(weft_exchange_free(&none));
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_create(world, NULL, &other));
  OK(weft_exchange_client(exchange, "one", &list));
  OK(weft_exchange_client(other, "one", &other_list));
  REFUSED(WEFT_ERR_HANDLE, "The name of a client is NULL", weft_exchange_client(exchange, NULL, &list));
  REFUSED(WEFT_ERR_HANDLE, "is NULL", weft_exchange_client(exchange, "two", NULL));
  REFUSED(WEFT_ERR, "one", weft_exchange_client(exchange, "one", &list));
  OK(weft_exchange_commit(exchange));
  OK(weft_exchange_start(exchange, 0));
  REFUSED(WEFT_ERR_HANDLE, "another exchange", weft_exchange_ready_all(exchange, other_list, 0));
  OK(weft_exchange_wait(exchange));
  copy = exchange;
  OK(weft_exchange_free(&exchange));
  REFUSED(WEFT_ERR_HANDLE, "was freed", weft_exchange_start(copy, 0));
  REFUSED(WEFT_ERR_HANDLE, "was freed", weft_exchange_free(&copy));
  REFUSED(WEFT_ERR_HANDLE, "was freed", weft_send(list, 0, 1, weft_contiguous(&bytes, 1, WEFT_UINT64), 0, NULL));
  /* Another object in the same place: the old handle is still known to be old. */
  OK(weft_exchange_create(world, NULL, &exchange));
  REFUSED(WEFT_ERR_HANDLE, "was freed", weft_exchange_has_failed(copy, &answer));
  OK(weft_exchange_free(&exchange));
  OK(weft_exchange_free(&other));
  OK(weft_grid_free(&grid));
}

static void parts(void) {
  double a[10] = {0}, b[10] = {0}, sum = 0;
  const size_t extent[2] = {5, 2}, first[2] = {3, 0}, count[2] = {4, 1};
  size_t bytes = 0;
  weft_exchange exchange;
  weft_requests list;
  weft_part send, receive, reduction, unknown = 12345;
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "one", &list));
  REFUSED(WEFT_ERR_HANDLE, "The memory of a part is NULL",
          weft_send(list, rank, 1, weft_contiguous(NULL, 10, WEFT_DOUBLE), 0, NULL));
  REFUSED(WEFT_ERR, "box", weft_send(list, rank, 1, weft_box(a, WEFT_DOUBLE, 2, extent, first, count), 0, NULL));
  REFUSED(WEFT_ERR, "dimensions",
          weft_send(list, rank, 1, weft_box(a, WEFT_DOUBLE, -1, extent, first, count), 0, NULL));
  REFUSED(WEFT_ERR, "type", weft_send(list, rank, 1, weft_contiguous(a, 10, 0x77000008), 0, NULL));
  REFUSED(WEFT_ERR, "type", weft_send(list, rank, 1, weft_contiguous(a, 10, 0), 0, NULL));
  REFUSED(WEFT_ERR, "below 16 MiB", weft_send(list, rank, 1, weft_contiguous(a, 1, WEFT_BYTES(20000000)), 0, NULL));
  REFUSED(WEFT_ERR_HANDLE, "is NULL", weft_send(list, rank, 1, weft_datatype(NULL, 2, MPI_DOUBLE), 0, NULL));
  REFUSED(WEFT_ERR, "more elements", weft_send(list, rank, 1, weft_datatype(a, SIZE_MAX, MPI_DOUBLE), 0, NULL));
  REFUSED(WEFT_ERR, "more elements", weft_send(list, rank, 1, weft_contiguous(a, SIZE_MAX / 2, WEFT_DOUBLE), 0, NULL));
  REFUSED(WEFT_ERR, "MPI_DATATYPE_NULL", weft_send(list, rank, 1, weft_datatype(a, 1, MPI_DATATYPE_NULL), 0, NULL));
  REFUSED(WEFT_ERR, "MPI_DOUBLE_INT", weft_send(list, rank, 1, weft_datatype(a, 1, MPI_DOUBLE_INT), 0, NULL));
  {
    weft_region region = {0};
    REFUSED(WEFT_ERR_HANDLE, "weft_region", weft_send(list, rank, 1, region, 0, NULL));
  }
  OK(weft_send(list, rank, 1, weft_contiguous(a, 10, WEFT_DOUBLE), 0, &send));
  OK(weft_receive(list, rank, 1, weft_contiguous(b, 10, WEFT_DOUBLE), 0, &receive));
  OK(weft_all_reduce(list, a, &sum, 1, WEFT_DOUBLE, WEFT_SUM, 0, &reduction));
  REFUSED(WEFT_ERR_EVERYWHERE, "Complex", weft_all_reduce(list, a, b, 1, WEFT_DOUBLE_COMPLEX, WEFT_MAX, 0, NULL));
  REFUSED(WEFT_ERR_HANDLE, "NULL", weft_all_reduce(list, NULL, b, 1, WEFT_DOUBLE, WEFT_MAX, 0, NULL));
  REFUSED(WEFT_ERR_HANDLE, "reduction", weft_all_reduce(list, a, b, 1, WEFT_DOUBLE, NULL, 0, NULL));
  REFUSED(WEFT_ERR, "all_reduce overlap", weft_all_reduce(list, a, a, 1, WEFT_DOUBLE, WEFT_SUM, 0, NULL));
  REFUSED(WEFT_ERR, "not started", weft_exchange_ready(exchange, send));
  OK(weft_exchange_commit(exchange));
  REFUSED(WEFT_ERR, "", weft_send(list, rank, 2, weft_contiguous(a, 10, WEFT_DOUBLE), 0, NULL));
  OK(weft_exchange_start(exchange, 0));
  REFUSED(WEFT_ERR, "", weft_exchange_start(exchange, 0));
  REFUSED(WEFT_ERR_HANDLE, "The part is a receive. Pass a send.", weft_exchange_ready(exchange, receive));
  REFUSED(WEFT_ERR_HANDLE, "The part is a send. Pass a receive.", weft_exchange_received_bytes(exchange, send, &bytes));
  REFUSED(WEFT_ERR_HANDLE, "none that weft has given", weft_exchange_ready(exchange, unknown));
  REFUSED(WEFT_ERR_HANDLE, "none of this exchange", weft_exchange_ready(exchange, send + 7));
  REFUSED(WEFT_ERR_HANDLE, "none of this exchange", weft_exchange_ready(exchange, send + ((weft_part)9 << 32)));
  OK(weft_exchange_ready(exchange, send));
  REFUSED(WEFT_ERR, "ready", weft_exchange_ready(exchange, send));
  REFUSED(WEFT_ERR, "not marked ready", weft_exchange_wait(exchange)); /* the reduction */
  OK(weft_exchange_ready(exchange, reduction));
  OK(weft_exchange_wait(exchange));
  REFUSED(WEFT_ERR, "not started", weft_exchange_wait(exchange));
  OK(weft_exchange_free(&exchange));
}

static void structs(void) {
  weft_exchange exchange;
  weft_step_manager manager;
  weft_client client = {.size = sizeof client};
  union {
    weft_exchange_options options;
    char bytes[2 * sizeof(weft_exchange_options)];
  } newer;
  weft_exchange_options options = {.size = 0};
  REFUSED(WEFT_ERR_HANDLE, "The size of a weft_exchange_options is 0",
          weft_exchange_create(world, &options, &exchange));
  options.size = sizeof options;
  options.messages.size = sizeof options.messages;
  options.messages.grouping = 17;
  REFUSED(WEFT_ERR, "Unknown grouping 17", weft_exchange_create(world, &options, &exchange));
  memset(&newer, 0, sizeof newer);
  newer.options.size = sizeof newer;
  OK(weft_exchange_create(world, &newer.options, &exchange)); /* of a later weft.h, which sets nothing new */
  OK(weft_exchange_free(&exchange));
  newer.bytes[sizeof newer - 1] = 1;
  REFUSED(WEFT_ERR_HANDLE, "newer libweft_c", weft_exchange_create(world, &newer.options, &exchange));
  options.messages.grouping = 0;
  options.messages.size = 0;
  options.messages.shared_memory = 1;
  REFUSED(WEFT_ERR_HANDLE, "Set its member `size`", weft_exchange_create(world, &options, &exchange));
  options.size = sizeof(weft_exchange_options*);
  REFUSED(WEFT_ERR_HANDLE, "The size of a weft_exchange_options is 8",
          weft_exchange_create(world, &options, &exchange));
  OK(weft_step_manager_create(world, NULL, &manager));
  REFUSED(WEFT_ERR_HANDLE, "The function request of a client is NULL",
          weft_step_manager_add(manager, "one", &client, 0, 0));
  REFUSED(WEFT_ERR_HANDLE, "The client is NULL", weft_step_manager_add(manager, "one", NULL, 0, 0));
  REFUSED(WEFT_ERR, "no client 'two'", weft_step_manager_remove(manager, "two"));
  OK(weft_step_manager_free(&manager));
}

static weft_step kept_step;
static weft_requests kept_list;
static weft_step_manager running;
static int request_nothing(void* context, weft_requests list) {
  (void)context;
  kept_list = list;
  return 0;
}
static int keep_step(void* context, weft_step step) {
  (void)context;
  kept_step = step;
  REFUSED(WEFT_ERR_HANDLE, "in a callback of its own", weft_step_manager_free(&running));
  REFUSED(WEFT_ERR_HANDLE, "list is complete", weft_barrier(kept_list, 0, NULL));
  return 0;
}
/* Each way in which a callback fails: a sentence of its own, the code of a weft call, a bare number. */
static int fail_in_step(void* context, weft_step step) {
  const int how = *(const int*)context;
  if (rank != ranks - 1) return 0;
  if (how == 0) return weft_raise("the pressure is negative");
  if (how == 1) return weft_step_ready(step, 99);
  return 7;
}
static void callbacks(void) {
  static const char* const sentences[] = {"the pressure is negative", "The part is none that weft has given",
                                          "'before' of the client 'bad' has returned 7"};
  weft_client client = {.size = sizeof client};
  client.request = request_nothing;
  client.during = keep_step;
  OK(weft_step_manager_create(world, NULL, &running));
  OK(weft_step_manager_add(running, "one", &client, 0, 0));
  OK(weft_step_manager_run_step(running));
  REFUSED(WEFT_ERR_HANDLE, "step is over", weft_step_progress(kept_step));
  OK(weft_step_manager_free(&running));
  REFUSED(WEFT_ERR_HANDLE, "was freed", weft_step_progress(kept_step));
  for (int how = 0; how < 3; ++how) {
    weft_step_manager manager;
    int failed_yet = 0, code;
    client.context = &how;
    client.before = fail_in_step;
    client.during = NULL;
    OK(weft_step_manager_create(world, NULL, &manager));
    OK(weft_step_manager_add(manager, "bad", &client, 0, 0));
    /* Nothing is exchanged, so the other ranks learn of it in some later step. */
    for (code = WEFT_OK; code == WEFT_OK;) code = weft_step_manager_run_step(manager);
    CHECK(code == (rank != ranks - 1 ? WEFT_ERR_PEER : how == 1 ? WEFT_ERR_HANDLE : WEFT_ERR));
    CHECK(strstr(weft_error_text(), sentences[how]) != NULL);
    OK(weft_step_manager_has_failed(manager, &failed_yet));
    CHECK(failed_yet);
    REFUSED(rank != ranks - 1 ? WEFT_ERR_PEER : WEFT_ERR, sentences[how], weft_step_manager_run_step(manager));
    OK(weft_step_manager_free(&manager));
  }
}

/* What a callback frees of its own object, and an error that it has handled. */
static weft_mailbox own_mailbox;
static weft_exchange own_exchange;
static int free_own(void* context, int from, const void* data, size_t bytes) {
  (void)context, (void)from, (void)data, (void)bytes;
  REFUSED(WEFT_ERR_HANDLE, "in a callback of its own", weft_mailbox_free(&own_mailbox));
  return 0;
}
static int free_exchange(void* context) {
  (void)context;
  REFUSED(WEFT_ERR_HANDLE, "in a callback of its own", weft_exchange_free(&own_exchange));
  return 0;
}
static int handle_then_fail(void* context, weft_step step) {
  (void)context;
  REFUSED(WEFT_ERR_HANDLE, "none that weft has given", weft_step_ready(step, 99));
  return 7;
}
static void objects_of_callbacks(void) {
  weft_client client = {.size = sizeof client};
  weft_step_manager manager;
  weft_requests list;
  double a = 1, b = 0;
  int code;
  OK(weft_mailbox_create(world, NULL, &own_mailbox));
  OK(weft_mailbox_on(own_mailbox, 1, free_own, NULL));
  OK(weft_mailbox_post(own_mailbox, rank, 1, NULL, 0));
  REFUSED(WEFT_ERR, "more elements", weft_mailbox_post(own_mailbox, rank, 1, &a, (size_t)-1));
  OK(weft_mailbox_drain(own_mailbox));
  OK(weft_mailbox_free(&own_mailbox));
  OK(weft_exchange_create(world, NULL, &own_exchange));
  OK(weft_exchange_client(own_exchange, "one", &list));
  OK(weft_send(list, rank, 1, weft_contiguous(&a, 1, WEFT_DOUBLE), 0, NULL));
  OK(weft_receive(list, rank, 1, weft_contiguous(&b, 1, WEFT_DOUBLE), 0, NULL));
  OK(weft_continuation(list, 0, free_exchange, NULL));
  OK(weft_exchange_commit(own_exchange));
  OK(weft_exchange_start(own_exchange, 0));
  OK(weft_exchange_ready_all(own_exchange, list, 0));
  OK(weft_exchange_wait(own_exchange));
  OK(weft_exchange_free(&own_exchange));
  client.request = request_nothing;
  client.before = handle_then_fail;
  OK(weft_step_manager_create(world, NULL, &manager));
  OK(weft_step_manager_add(manager, "bad", &client, 0, 0));
  code = weft_step_manager_run_step(manager); /* every rank fails: one may hear of another first */
  CHECK(code == WEFT_ERR || code == WEFT_ERR_PEER);
  CHECK(strstr(weft_error_text(), "has returned 7") != NULL);
  OK(weft_step_manager_free(&manager));
}

static void ends_that_differ(void) {
  double a[10] = {0}, b[10] = {0};
  weft_exchange exchange;
  weft_requests list;
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "flow", &list));
  OK(weft_send(list, (rank + 1) % ranks, 1, weft_contiguous(a, 10, WEFT_DOUBLE), 0, NULL));
  OK(weft_receive(list, (rank + ranks - 1) % ranks, 1, weft_contiguous(b, 9, WEFT_DOUBLE), 0, NULL));
  REFUSED(WEFT_ERR_EVERYWHERE, "'flow', key 1", weft_exchange_commit(exchange));
  OK(weft_exchange_free(&exchange));
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_client(exchange, "flow", &list));
  OK(weft_send(list, (rank + 1) % ranks, 1, weft_contiguous(a, 10, WEFT_DOUBLE), 0, NULL));
  OK(weft_receive(list, (rank + ranks - 1) % ranks, 1, weft_contiguous(b, 10, WEFT_INT64), 0, NULL));
  REFUSED(WEFT_ERR_EVERYWHERE, "float64", weft_exchange_commit(exchange));
  OK(weft_exchange_free(&exchange));
}

/* Rank 0 sends only when rank 1 has warned that it waits. */
static char warned[400];
static void warn(void* context, const char* text) {
  const int is_first = warned[0] == 0;
  strncpy(context, text, sizeof warned - 1);
  if (rank == 1 && is_first) MPI_Send(NULL, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
}
static void warnings(void) {
  weft_exchange_options options = {.size = sizeof options};
  weft_exchange exchange;
  weft_requests list;
  double a = rank, b = 0;
  if (ranks == 1) return;
  options.messages.size = sizeof options.messages;
  options.messages.watchdog_seconds = 0.05;
  OK(weft_set_warning_handler(warn, warned));
  OK(weft_exchange_create(world, &options, &exchange));
  OK(weft_exchange_client(exchange, "late", &list));
  OK(weft_send(list, (rank + 1) % ranks, 1, weft_contiguous(&a, 1, WEFT_DOUBLE), 0, NULL));
  OK(weft_receive(list, (rank + ranks - 1) % ranks, 1, weft_contiguous(&b, 1, WEFT_DOUBLE), 0, NULL));
  OK(weft_exchange_commit(exchange));
  OK(weft_exchange_start(exchange, 0));
  if (rank == 0) MPI_Recv(NULL, 0, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  OK(weft_exchange_ready_all(exchange, list, 0));
  OK(weft_exchange_wait(exchange));
  OK(weft_exchange_free(&exchange));
  OK(weft_set_warning_handler(NULL, NULL));
  if (rank == 1) CHECK(strstr(warned, "late") != NULL && warned[strlen(warned) - 1] != '\n');
}

int main(int argc, char** argv) {
  weft_exchange exchange;
  int code;
  if (strcmp(weft_version(), WEFT_VERSION) != 0 || strcmp(weft_build_info("version"), WEFT_VERSION) != 0) return 1;
  if (strlen(weft_build_info("compiler")) == 0 || strlen(weft_build_info("colour")) != 0) return 1;
  REFUSED(WEFT_ERR, "not initialised", weft_comm_create(MPI_COMM_WORLD, &world));
  begin(&argc, &argv);
  REFUSED(WEFT_ERR, "communicator is null", weft_comm_create(MPI_COMM_NULL, &world));
  REFUSED(WEFT_ERR, "time-out", weft_set_timeout(-1));
  handles();
  parts();
  structs();
  callbacks();
  objects_of_callbacks();
  ends_that_differ();
  warnings();
  OK(weft_exchange_create(world, NULL, &exchange));
  OK(weft_exchange_commit(exchange));
  MPI_Finalize();
  code = weft_exchange_start(exchange, 0);
  if (code != WEFT_ERR || strstr(weft_error_text(), "MPI was finalised") == NULL) return 1;
  if (weft_exchange_free(&exchange) != WEFT_OK || weft_comm_free(&world) != WEFT_OK) return 1;
  if (rank == 0) puts("passed");
  return 0;
}
