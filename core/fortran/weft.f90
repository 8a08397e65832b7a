! SPDX-License-Identifier: BSD-3-Clause
!
! weft in Fortran 2018: overlaps MPI communication with computation. Link libweft_c. This file is all that a compiler
! needs; it must support array descriptors (gfortran 12, flang 20 and newer do) and have integers of 4 bytes by default.
!
!     type(weft_comm) :: comm
!     type(weft_exchange) :: exchange
!     type(weft_requests) :: list
!     type(weft_part) :: row
!     call comm%create()
!     call exchange%create(comm)
!     call exchange%client('heat', list)
!     call list%send(right, 1, u(nx, :), row)   ! 1: a key, the same on both ends
!     call list%receive(left, 1, u(0, :))
!     call exchange%commit()                    ! both ends compare their lists
!     do step = 1, steps
!       call exchange%start()
!       call exchange%ready(row)                ! the row may be sent
!       call compute_interior(u)                ! with call exchange%progress() now and then
!       call exchange%wait()                    ! the ghost row has arrived
!       call compute_boundary(u)
!     end do
!
! Conventions
!
! - An object is made by `create` and freed by `free`, or when its variable ends. (An array of objects is freed by
!   `free` only: free each element.) It can't be copied: pass it, point at it, or use move_to. Some compilers copy a
!   derived type that contains one without notice: the first of the two then frees it, and weft reports each later use.
! - Every procedure has the optional arguments stat= and errmsg=. With stat= an error returns its code (weft_err, ...).
!   Without stat= it prints one sentence and ends the job.
! - Arrays of any type and rank are passed as they are, also sections such as u(nx, :, :), which are not copied. The
!   array is borrowed: it must stay where it is until the object is freed. So it needs the attribute `target` (or
!   `pointer`), also where it is an argument of the program's procedures, and these must be assumed-shape, u(:, :),
!   because the compiler may pass others as copies. What is certainly a copy (2*u, u([1, 5])) does not compile. gfortran
!   12 copies p%x, a component of an array of a derived type: pass p(1)%x with component_of=p instead. Its option
!   -Warray-temporaries shows such copies.
! - All arrays of sends are intent(inout), for this reason only: weft does not change them.
! - Numbers begin with 1: points, elements, fields, tiles. Ranks, rounds and steps begin with 0, as in MPI and in weft.
!   The global numbers of a graph are labels, any from 0 on: they are not shifted.
! - A callback is a procedure with a context, any variable with the attribute `target`. It fails by calling weft_raise.
!   Use module procedures: an internal procedure can be called only as long as its host runs.
! - "Collective" procedures are called by all ranks in the same order: create and free of all objects but grids, halos,
!   timelines and operations (free of a graph is not). What the procedures do is said in weft.h.
module weft
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int8, int16, int32, int64, real32, real64
  implicit none
  private

  public :: weft_init, weft_finalize, weft_end, weft_raise, weft_seconds, weft_set_timeout, weft_error_message, &
    weft_version, weft_build_info, weft_run_pipeline, weft_set_warning_handler
  public :: weft_procedure, weft_request_procedure, weft_step_procedure, weft_value_procedure, weft_result_procedure
  public :: weft_warning_procedure, weft_handler_procedure, weft_setting_procedure, weft_combine_procedure, &
    weft_tile_procedure, weft_communicate_procedure

  integer, parameter :: interface_number = 3  ! of objects.cpp, which compares it with its own

  ! What stat= returns; weft.h explains them.
  integer, parameter, public :: weft_ok = 0, weft_err = 1, weft_err_handle = 2, weft_err_everywhere = 3, &
    weft_err_peer = 4, weft_err_input = 5, weft_err_memory = 6
  ! grouping=, carrier=, progress=
  integer, parameter, public :: weft_per_peer = 0, weft_per_part = 1, weft_by_size = 2, weft_per_node = 3
  integer, parameter, public :: weft_messages = 0, weft_synchronous = 1, weft_datatypes = 2, weft_partitioned = 3
  integer, parameter, public :: weft_polling = 0, weft_passive = 1, weft_thread = 2, weft_send_receive_threads = 3
  integer, parameter, public :: weft_never_cut = -1  ! piece_bytes=
  ! type=, if the two ends of a message must agree on another type than that of the array.
  integer, parameter, public :: weft_untyped = 0, weft_int8 = 16777217, weft_int16 = 16777218, &
    weft_int32 = 16777220, weft_int64 = 16777224, weft_real32 = 50331652, weft_real64 = 50331656, &
    weft_complex32 = 67108872, weft_complex64 = 67108880
  ! op=, or weft_op%id()
  integer(c_intptr_t), parameter, public :: weft_sum = 1, weft_min = 2, weft_max = 3
  ! Of a timeline.
  integer, parameter, public :: weft_compute = 0, weft_pack = 1, weft_wait = 2, weft_unpack = 3, weft_in_flight = 4
  ! reads=, components= of a field; scheme=, payload= of a halo
  integer, parameter, public :: weft_reads_all = 0, weft_reads_faces = 1, weft_first = 1, weft_last = 2
  integer, parameter, public :: weft_direct = 0, weft_by_dimension = 1, weft_reference = 2
  integer, parameter, public :: weft_whole = 0, weft_directions = 1, weft_reduced = 2
  ! way=, algorithm= and kind= of monitors and rounds
  integer, parameter, public :: weft_nonblocking = 0, weft_blocking = 1, weft_by_rounds = 2, weft_phased = 3
  integer, parameter, public :: weft_any_algorithm = 0, weft_recursive_doubling = 1, weft_dissemination = 2, &
    weft_binomial = 3, weft_tree = 4, weft_bruck = 5, weft_ring = 6
  integer, parameter, public :: weft_collective_barrier = 0, weft_collective_broadcast = 1, &
    weft_collective_reduce = 2, weft_collective_all_reduce = 3, weft_collective_all_gather = 4, &
    weft_collective_all_to_all = 5

  ! ------------------------------------------------------------------------------------------------------------ types

  !> An object of weft; all types below that have `create` extend it.
  type, public :: weft_object
    private
    type(c_ptr) :: handle = c_null_ptr
    integer(c_int) :: kind = 0, rank = 0, ranks = 1
    integer :: dimensions = 0, width = 1     ! grids and halos
    integer(c_int64_t) :: points(3) = 1
  contains
    procedure :: free => object_free
    procedure :: exists => object_exists
    procedure :: move_to => object_move_to
    procedure, private :: object_copy
    generic :: assignment(=) => object_copy
    final :: object_finalise
  end type

  !> A part or a collective of a list.
  type, bind(c), public :: weft_part
    private
    integer(c_int64_t) :: number = 0
  end type

  type, extends(weft_object), public :: weft_comm
  contains
    procedure :: create => comm_create
    procedure :: get_rank => comm_rank
  end type

  type, extends(weft_object), public :: weft_space
  contains
    procedure :: create => space_create
  end type

  type, extends(weft_object), public :: weft_progress
  contains
    procedure :: create => progress_create
  end type

  type, extends(weft_object), public :: weft_timeline
  contains
    procedure :: create => timeline_create
    procedure :: add => timeline_add
    procedure :: total => timeline_total
    procedure :: reset => timeline_reset
    procedure :: write_trace => timeline_write_trace
  end type

  !> A stream of a device; from device%queue. Without a device it is none, and the host waits.
  type, bind(c), public :: weft_queue
    private
    type(c_ptr) :: device = c_null_ptr, stream = c_null_ptr
  end type

  !> A device with memory of its own: CUDA's or HIP's, or one for tests, which is made of host memory (docs/device.md).
  type, extends(weft_object), public :: weft_device
  contains
    procedure :: create_cuda => device_create_cuda
    procedure :: create_hip => device_create_hip
    procedure :: create_test => device_create_test
    procedure, private :: queue_of_pointer => device_queue_of_pointer
    procedure, private :: queue_of_number => device_queue_of_number
    generic :: queue => queue_of_pointer, queue_of_number
    procedure :: test_queue => device_test_queue
    procedure :: test_allocate => device_test_allocate
    procedure :: test_release => device_test_release
    procedure :: test_inside => device_test_inside
    procedure, nopass :: test_launch => device_test_launch
    procedure, nopass :: test_synchronize => device_test_synchronize
  end type

  !> The list of a client, from exchange%client, or in a request procedure. May be copied.
  type, public :: weft_requests
    private
    type(c_ptr) :: handle = c_null_ptr, owner = c_null_ptr, device = c_null_ptr
    integer(c_int) :: rank = 0, ranks = 1
  contains
    procedure :: send => requests_send
    procedure :: receive => requests_receive
    procedure :: send_given => requests_send_given
    procedure :: receive_given => requests_receive_given
    procedure :: all_reduce => requests_all_reduce
    procedure :: reduce => requests_reduce
    procedure :: broadcast => requests_broadcast
    procedure :: gather => requests_gather
    procedure :: all_gather => requests_all_gather
    procedure :: all_to_all => requests_all_to_all
    procedure :: barrier => requests_barrier
    procedure :: continuation => requests_continuation
    procedure :: agree_on => requests_agree_on
    procedure :: on => requests_on
  end type

  !> A reduction of one's own.
  type, extends(weft_object), public :: weft_op
  contains
    procedure :: create => op_create
    procedure :: id => op_id
  end type

  type, extends(weft_object), public :: weft_exchange
  contains
    procedure :: create => exchange_create
    procedure :: client => exchange_client
    procedure :: commit => exchange_commit
    procedure :: start => exchange_start
    procedure :: ready => exchange_ready
    procedure :: ready_bytes => exchange_ready_bytes
    procedure :: ready_region => exchange_ready_region
    procedure :: ready_all => exchange_ready_all
    procedure :: accept => exchange_accept
    procedure :: accept_all => exchange_accept_all
    procedure :: progress => exchange_progress
    procedure :: arrived => exchange_arrived
    procedure :: test => exchange_test
    procedure :: wait_also => exchange_wait_also
    procedure :: wait_round => exchange_wait_round
    procedure :: wait => exchange_wait
    procedure :: rebind => exchange_rebind
    procedure :: received_bytes => exchange_received_bytes
    procedure :: sent_bytes => exchange_sent_bytes
    procedure :: take_received => exchange_take_received
    procedure :: fail => exchange_fail
    procedure :: has_failed => exchange_has_failed
    procedure :: describe => exchange_describe
  end type

  !> The running step, in a callback.
  type, public :: weft_step
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: number => step_number
    procedure :: ready => step_ready
    procedure :: ready_bytes => step_ready_bytes
    procedure :: ready_region => step_ready_region
    procedure :: accept => step_accept
    procedure :: received_bytes => step_received_bytes
    procedure :: take_received => step_take_received
    procedure :: wait_also => step_wait_also
    procedure :: progress => step_progress
  end type

  type, extends(weft_object), public :: weft_step_manager
  contains
    procedure :: create => manager_create
    procedure :: add => manager_add
    procedure :: add_halo => manager_add_halo
    procedure :: remove => manager_remove
    procedure :: changed => manager_changed
    procedure :: activate => manager_activate
    procedure :: rebind => manager_rebind
    procedure :: rebind_field => manager_rebind_field
    procedure :: use => manager_use
    procedure :: start_at => manager_start_at
    procedure :: run_step => manager_run_step
    procedure :: step => manager_step
    procedure :: measure_alone => manager_measure_alone
    procedure :: counts => manager_counts
    procedure :: reset_counts => manager_reset_counts
    procedure :: fail => manager_fail
    procedure :: has_failed => manager_has_failed
    procedure :: describe => manager_describe
  end type

  type, extends(weft_object), public :: weft_grid
  contains
    procedure :: create => grid_create
    procedure :: create_blocks => grid_create_blocks
    procedure :: block => grid_block
    procedure :: processes => grid_processes
    procedure :: neighbour => grid_neighbour
  end type

  type, extends(weft_object), public :: weft_halo
  contains
    procedure :: create => halo_create
    procedure :: add => halo_add
    procedure :: request => halo_request
    procedure :: rounds => halo_rounds
    procedure :: interior => halo_interior
    procedure :: boundary => halo_boundary
    procedure :: describe => halo_describe
  end type

  type, extends(weft_object), public :: weft_halo_exchange
  contains
    procedure :: create => halo_exchange_create
    procedure :: start => halo_exchange_start
    procedure :: progress => halo_exchange_progress
    procedure :: finish => halo_exchange_finish
    procedure :: rebind => halo_exchange_rebind
    procedure :: fail => halo_exchange_fail
    procedure :: has_failed => halo_exchange_has_failed
  end type

  !> Who sends which numbers' values to whom. The global numbers, integer(int64), are in any order, with any gaps.
  type, extends(weft_object), public :: weft_graph
  contains
    procedure :: create => graph_create
    procedure :: create_matrix => graph_create_matrix
    procedure :: neighbours => graph_neighbours
    procedure :: to_copies => graph_to_copies
    procedure :: to_owners => graph_to_owners
  end type

  !> Diagnostics, each one real(real64), that are reduced over all ranks.
  type, extends(weft_object), public :: weft_monitors
  contains
    procedure :: create => monitors_create
    procedure :: add => monitors_add
    procedure :: start => monitors_start
    procedure :: stop => monitors_stop
    procedure :: read_now => monitors_read_now
    procedure :: idle_before => monitors_idle_before
  end type

  type, extends(weft_object), public :: weft_rounds
  contains
    procedure :: create => rounds_create
    procedure :: count => rounds_count
    procedure :: add => rounds_add
    procedure :: remove => rounds_remove
  end type

  !> The iterations first to last of a loop, perhaps none, in a callback of weft_run_pipeline. `slot`: which of
  !> window + 1 buffers it uses. All count from 1.
  type, public :: weft_tile
    integer(int64) :: number = 0, first = 1, last = 0
    integer :: slot = 1
    type(c_ptr), private :: handle = c_null_ptr
  contains
    procedure :: progress => tile_progress
  end type
  !> What a tile's communication is: call one of them.
  type, public :: weft_communication
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: is_exchange => communication_is_exchange
    procedure :: is_request => communication_is_request
  end type

  type, extends(weft_object), public :: weft_mailbox
  contains
    procedure :: create => mailbox_create
    procedure :: on => mailbox_on
    procedure :: post => mailbox_post
    procedure :: poll => mailbox_poll
    procedure :: drain => mailbox_drain
    procedure :: counts => mailbox_counts
  end type

  type, extends(weft_object), public :: weft_tuning
  contains
    procedure :: create => tuning_create
    procedure :: iterate => tuning_iterate
    procedure :: dry_run => tuning_dry_run
    procedure :: settled => tuning_settled
    procedure :: text => tuning_text
  end type

  !> One way to communicate, in a callback of tuning; manager%use(setting=...) applies it.
  type, public :: weft_setting
    private
    type(c_ptr) :: handle = c_null_ptr
  contains
    procedure :: value => setting_value
    procedure :: number => setting_number
  end type

  type, extends(weft_object), public :: weft_overlap_report
  contains
    procedure :: create => report_create
    procedure :: fraction => report_fraction
    procedure :: text => report_text
    procedure :: json => report_json
  end type

  ! -------------------------------------------------------------------------------------------------------- callbacks

  abstract interface
    subroutine weft_procedure(context)
      class(*), intent(inout), target :: context
    end subroutine
    !> Lists parts and collectives.
    subroutine weft_request_procedure(context, list)
      import :: weft_requests
      class(*), intent(inout), target :: context
      type(weft_requests), intent(in) :: list
    end subroutine
    subroutine weft_step_procedure(context, step)
      import :: weft_step
      class(*), intent(inout), target :: context
      type(weft_step), intent(in) :: step
    end subroutine
    !> Sets the value of this rank.
    subroutine weft_value_procedure(context, value)
      import :: real64
      class(*), intent(inout), target :: context
      real(real64), intent(out) :: value
    end subroutine
    !> Gets the value of all ranks.
    subroutine weft_result_procedure(context, value, step)
      import :: real64, int64
      class(*), intent(inout), target :: context
      real(real64), intent(in) :: value
      integer(int64), intent(in) :: step
    end subroutine
    !> Handles a message; transfer(message, x) makes it what it was.
    subroutine weft_handler_procedure(context, from, message)
      import :: int8
      class(*), intent(inout), target :: context
      integer, intent(in) :: from
      integer(int8), intent(in), target :: message(:)
    end subroutine
    subroutine weft_setting_procedure(context, setting)
      import :: weft_setting
      class(*), intent(inout), target :: context
      type(weft_setting), intent(in) :: setting
    end subroutine
    subroutine weft_tile_procedure(context, tile)
      import :: weft_tile
      class(*), intent(inout), target :: context
      type(weft_tile), intent(in) :: tile
    end subroutine
    !> Starts the communication of a tile, and passes it to `started`. Must not block.
    subroutine weft_communicate_procedure(context, tile, started)
      import :: weft_tile, weft_communication
      class(*), intent(inout), target :: context
      type(weft_tile), intent(in) :: tile
      type(weft_communication), intent(in) :: started
    end subroutine
    !> Gets a warning. Any thread may call it, several at once; it must not call weft.
    subroutine weft_warning_procedure(text)
      character(*), intent(in) :: text
    end subroutine
    !> Leaves left(i) combined with inout(i) in inout(i) for `count` elements; c_f_pointer makes arrays of both.
    subroutine weft_combine_procedure(left, inout, count) bind(c)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: left, inout
      integer(c_size_t), value :: count
    end subroutine
  end interface

  !> What a C callback gets as its context. The C++ side keeps it until its owner is freed.
  type :: callbacks
    class(*), pointer :: context => null()
    type(c_ptr) :: owner = c_null_ptr
    integer(c_int) :: rank = 0, ranks = 1
    procedure(weft_request_procedure), pointer, nopass :: request => null()
    procedure(weft_step_procedure), pointer, nopass :: before => null(), during => null(), after => null(), &
      finish => null()
    procedure(weft_procedure), pointer, nopass :: first => null(), second => null()
    procedure(weft_value_procedure), pointer, nopass :: local => null()
    procedure(weft_result_procedure), pointer, nopass :: use_value => null()
    procedure(weft_handler_procedure), pointer, nopass :: handle => null()
    procedure(weft_setting_procedure), pointer, nopass :: use_setting => null()
    procedure(weft_tile_procedure), pointer, nopass :: compute => null(), consume => null()
    procedure(weft_communicate_procedure), pointer, nopass :: communicate => null()
  end type
  integer, target :: no_context = 0
  procedure(weft_warning_procedure), pointer :: warning_handler => null()

  ! ------------------------------------------------------------------------------------------------- structs of weft.h

  type, bind(c) :: message_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: grouping = 0, carrier = 0
    integer(c_size_t) :: packed_limit_bytes = 0, by_size_bytes = 0, piece_bytes = 0
    real(c_double) :: watchdog_seconds = 0
    integer(c_int) :: shared_memory = 0, defer_unpacking = 0
    integer(c_size_t) :: most_requests = 0, direct_from_device = 0
    type(c_ptr) :: reserved(2) = c_null_ptr
  end type
  type, bind(c) :: progress_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: kind = 0, threads = 0
    real(c_double) :: interval_seconds = 0
    integer(c_int) :: pin_count = 0
    type(c_ptr) :: pin = c_null_ptr
    type(c_ptr) :: reserved(4) = c_null_ptr
  end type
  type, bind(c) :: exchange_options
    integer(c_size_t) :: size = 0
    type(message_options) :: messages
    type(c_ptr) :: progress = c_null_ptr, timeline = c_null_ptr, space = c_null_ptr
    integer(c_int) :: ignores_buffer_indices = 0
  end type
  type, bind(c) :: step_options
    integer(c_size_t) :: size = 0
    type(message_options) :: messages
    type(progress_options) :: progress
    type(c_ptr) :: timeline = c_null_ptr
    integer(c_int) :: separate = 0
  end type
  type, bind(c) :: client_functions
    integer(c_size_t) :: size = 0
    type(c_ptr) :: context = c_null_ptr
    type(c_funptr) :: request = c_null_funptr, before = c_null_funptr, during = c_null_funptr, &
      after = c_null_funptr, finish = c_null_funptr
  end type
  type, bind(c) :: step_counts
    integer(c_size_t) :: size = 0
    integer(c_int64_t) :: steps = 0, waits = 0, collectives = 0, messages = 0, bytes = 0
  end type
  type, bind(c) :: box_of_points
    integer(c_size_t) :: first(3) = 0, count(3) = 1
  end type
  type, bind(c) :: halo_options
    integer(c_size_t) :: size = 0, width = 0
    integer(c_int) :: scheme = 0, payload = 0, reverse = 0
  end type
  type, bind(c) :: monitor
    integer(c_size_t) :: size = 0
    type(c_ptr) :: context = c_null_ptr, name = c_null_ptr
    integer(c_size_t) :: value_bytes = 8
    integer(c_int) :: commutative = 1
    type(c_funptr) :: combine = c_null_funptr, local = c_null_funptr, use = c_null_funptr
  end type
  type, bind(c) :: monitors_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: way = 0, algorithm = 0, arity = 0
    integer(c_int64_t) :: every = 0, offset = 0
  end type
  type, bind(c) :: mailbox_options
    integer(c_size_t) :: size = 0, bucket_bytes = 0
    integer(c_int) :: buckets_per_peer = 0
  end type
  type, bind(c) :: tuning_options
    integer(c_size_t) :: size = 0
    integer(c_int) :: candidates = 0
    type(c_ptr) :: candidate = c_null_ptr
    integer(c_int) :: again = 0
    integer(c_size_t) :: warm_up = 0, period = 0, iterations = 0
    real(c_double) :: limit_seconds = 0, sample_seconds = 0
    type(c_ptr) :: file = c_null_ptr
  end type
  type, bind(c) :: tile
    integer(c_size_t) :: size = 0, index = 0, first = 0, count = 0, slot = 0
    type(c_ptr) :: inside = c_null_ptr
  end type
  type, bind(c) :: pipeline_options
    integer(c_size_t) :: size = 0, iterations = 0, tile = 0, window = 0, tiles = 0
    type(c_ptr) :: progress = c_null_ptr, timeline = c_null_ptr, client = c_null_ptr, context = c_null_ptr
    type(c_funptr) :: compute = c_null_funptr, communicate = c_null_funptr, consume = c_null_funptr
  end type
  ! Of parts.cpp and collectives.cpp, beside this file.
  integer, parameter :: most_ranks = 15
  type, bind(c) :: section
    integer(c_int) :: type = -1, dimensions = 0, up_to = 0, with_last = 0
    integer(c_int64_t) :: first(most_ranks), last(most_ranks), lower(most_ranks)  ! not set for a whole array
    integer(c_int64_t) :: indices = -1
    type(c_ptr) :: index = c_null_ptr, device = c_null_ptr
  end type
  type, bind(c) :: rounds_options
    integer(c_int) :: kind = 0, algorithm = 0, arity = 0, root = 0, phased = 0
    integer(c_int64_t) :: every = 0, offset = 0
    integer(c_intptr_t) :: op = 0
    type(c_ptr) :: context = c_null_ptr
    type(c_funptr) :: load = c_null_funptr, use = c_null_funptr
  end type

  ! ---------------------------------------------------------------------------------------------- functions of weft.h

  abstract interface
    integer(c_int) function c_object(object) bind(c)
      import; type(c_ptr), value :: object
    end function
    integer(c_int) function c_object_object(object, other) bind(c)
      import; type(c_ptr), value :: object, other
    end function
    integer(c_int) function c_create(from, object) bind(c)
      import; type(c_ptr), value :: from; type(c_ptr), intent(inout) :: object
    end function
    integer(c_int) function c_create_with(from, options, object) bind(c)
      import; type(c_ptr), value :: from, options; type(c_ptr), intent(inout) :: object
    end function
    integer(c_int) function c_get_int(object, number) bind(c)
      import; type(c_ptr), value :: object; integer(c_int), intent(inout) :: number
    end function
    integer(c_int) function c_get_text(object, text) bind(c)
      import; type(c_ptr), value :: object; type(c_ptr), intent(inout) :: text
    end function
    integer(c_int) function c_name(object, name) bind(c)
      import; type(c_ptr), value :: object; character(c_char), intent(in) :: name(*)
    end function
    integer(c_int) function c_part(object, part) bind(c)
      import; type(c_ptr), value :: object; integer(c_int64_t), value :: part
    end function
    integer(c_int) function c_part_bytes(object, part, bytes) bind(c)
      import; type(c_ptr), value :: object; integer(c_int64_t), value :: part; integer(c_size_t), value :: bytes
    end function
    integer(c_int) function c_part_get_bytes(object, part, bytes) bind(c)
      import; type(c_ptr), value :: object; integer(c_int64_t), value :: part; integer(c_size_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_part_take(object, part, data, bytes) bind(c)
      import; type(c_ptr), value :: object; integer(c_int64_t), value :: part
      type(c_ptr), intent(inout) :: data; integer(c_size_t), intent(inout) :: bytes
    end function
    integer(c_int) function c_queue(object, queue) bind(c)
      import; type(c_ptr), value :: object; type(weft_queue), value :: queue
    end function
    integer(c_int) function c_part_queue(object, part, queue) bind(c)
      import; type(c_ptr), value :: object; integer(c_int64_t), value :: part; type(weft_queue), value :: queue
    end function
    integer(c_int) function c_int64_queue(object, number, queue) bind(c)
      import; type(c_ptr), value :: object; integer(c_int64_t), value :: number; type(weft_queue), value :: queue
    end function
    integer(c_int) function c_list_round(object, list, round) bind(c)
      import; type(c_ptr), value :: object, list; integer(c_int), value :: round
    end function
    integer(c_int) function c_int64(object, number) bind(c)
      import; type(c_ptr), value :: object; integer(c_int64_t), value :: number
    end function
    integer(c_int) function c_tuning(object, use, iteration, context) bind(c)
      import; type(c_ptr), value :: object, context; type(c_funptr), value :: use, iteration
    end function
  end interface
  procedure(c_object), bind(c) :: weft_tile_progress, weft_timeline_reset, weft_exchange_commit, &
    weft_exchange_progress, weft_step_progress, weft_step_manager_reset_counts, weft_halo_exchange_progress, &
    weft_mailbox_poll, weft_mailbox_drain
  procedure(c_queue), bind(c) :: weft_exchange_wait_queue, weft_step_manager_run_step_queue, &
    weft_halo_exchange_finish_queue
  procedure(c_part_queue), bind(c) :: weft_exchange_ready_queue, weft_exchange_accept_queue, weft_step_ready_queue, &
    weft_step_accept_queue
  procedure(c_int64_queue), bind(c) :: weft_exchange_start_queue, weft_halo_exchange_start_queue
  procedure(c_object_object), bind(c) :: weft_halo_request, weft_monitors_stop, weft_rounds_remove
  procedure(c_create), bind(c) :: weft_space_create, weft_monitors_create
  procedure(c_create_with), bind(c) :: weft_progress_create, weft_exchange_create, weft_step_manager_create, &
    weft_halo_create, weft_mailbox_create
  procedure(c_get_int), bind(c) :: weft_exchange_test, weft_exchange_has_failed, weft_step_manager_has_failed, &
    weft_halo_rounds, weft_halo_exchange_has_failed, weft_rounds_count, weft_tuning_settled
  procedure(c_get_text), bind(c) :: weft_exchange_describe, weft_step_manager_describe, weft_halo_describe, &
    weft_tuning_text, weft_overlap_report_text, weft_overlap_report_json
  procedure(c_name), bind(c) :: weft_agree_on, weft_exchange_fail, weft_step_manager_remove, &
    weft_step_manager_changed, weft_step_manager_fail, weft_halo_exchange_fail
  procedure(c_part), bind(c) :: weft_exchange_ready, weft_step_ready
  procedure(c_part_bytes), bind(c) :: weft_exchange_ready_bytes, weft_step_ready_bytes
  procedure(c_part_get_bytes), bind(c) :: weft_exchange_received_bytes, weft_exchange_sent_bytes, &
    weft_step_received_bytes
  procedure(c_part_take), bind(c) :: weft_exchange_take_received, weft_step_take_received
  procedure(c_list_round), bind(c) :: weft_exchange_ready_all, weft_exchange_accept_all
  procedure(c_int64), bind(c) :: weft_step_manager_start_at, weft_monitors_read_now
  procedure(c_tuning), bind(c) :: weft_tuning_iterate, weft_tuning_dry_run

  interface
    type(c_ptr) function weft_error_text() bind(c)
      import
    end function
    type(c_ptr) function c_version() bind(c, name='weft_version')
      import
    end function
    type(c_ptr) function c_build_info(what) bind(c, name='weft_build_info')
      import; character(c_char), intent(in) :: what(*)
    end function
    subroutine weft_check(code) bind(c)
      import; integer(c_int), value :: code
    end subroutine
    !> Seconds since some time in the past.
    real(c_double) function weft_seconds() bind(c)
      import
    end function
    integer(c_int) function c_set_timeout(seconds) bind(c, name='weft_set_timeout')
      import; real(c_double), value :: seconds
    end function
    integer(c_int) function c_set_warning_handler(print, context) bind(c, name='weft_set_warning_handler')
      import; type(c_funptr), value :: print; type(c_ptr), value :: context
    end function
    integer(c_int) function c_end(seconds) bind(c, name='weft_end')
      import; real(c_double), value :: seconds
    end function
    integer(c_size_t) function c_strlen(text) bind(c, name='strlen')
      import; type(c_ptr), value :: text
    end function
    integer(c_int) function weft_memory_free(data) bind(c)
      import; type(c_ptr), value :: data
    end function
    integer(c_int) function weft_comm_rank(comm, rank, size) bind(c)
      import; type(c_ptr), value :: comm; integer(c_int), intent(inout) :: rank, size
    end function
    integer(c_int) function weft_timeline_create(keep_spans, timeline) bind(c)
      import; integer(c_int), value :: keep_spans; type(c_ptr), intent(inout) :: timeline
    end function
    integer(c_int) function weft_timeline_add(timeline, track, activity, start, finish) bind(c)
      import; type(c_ptr), value :: timeline; character(c_char), intent(in) :: track(*)
      integer(c_int), value :: activity; real(c_double), value :: start, finish
    end function
    integer(c_int) function weft_timeline_total(timeline, track, activity, seconds) bind(c)
      import; type(c_ptr), value :: timeline; character(c_char), intent(in) :: track(*)
      integer(c_int), value :: activity; real(c_double), intent(inout) :: seconds
    end function
    integer(c_int) function weft_timeline_write_trace(timeline, comm, path) bind(c)
      import; type(c_ptr), value :: timeline, comm; character(c_char), intent(in) :: path(*)
    end function
    integer(c_int) function weft_op_create(combine, element_bytes, commutative, op) bind(c)
      import; type(c_funptr), value :: combine; integer(c_size_t), value :: element_bytes
      integer(c_int), value :: commutative; type(c_ptr), intent(inout) :: op
    end function
    integer(c_int) function weft_barrier(list, round, part) bind(c)
      import; type(c_ptr), value :: list; integer(c_int), value :: round
      type(weft_part), intent(inout), optional :: part
    end function
    integer(c_int) function weft_continuation(list, round, then, context) bind(c)
      import; type(c_ptr), value :: list, context; integer(c_int), value :: round; type(c_funptr), value :: then
    end function
    integer(c_int) function weft_exchange_client(exchange, name, list) bind(c)
      import; type(c_ptr), value :: exchange; character(c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: list
    end function
    integer(c_int) function weft_exchange_arrived(exchange, part, arrived) bind(c)
      import; type(c_ptr), value :: exchange; integer(c_int64_t), value :: part
      integer(c_int), intent(inout) :: arrived
    end function
    integer(c_int) function weft_exchange_wait_round_queue(exchange, round, queue) bind(c)
      import; type(c_ptr), value :: exchange; integer(c_int), value :: round; type(weft_queue), value :: queue
    end function
    integer(c_int) function weft_device_cuda(ordinal, device) bind(c)
      import; integer(c_int), value :: ordinal; type(c_ptr), intent(inout) :: device
    end function
    integer(c_int) function weft_device_hip(ordinal, device) bind(c)
      import; integer(c_int), value :: ordinal; type(c_ptr), intent(inout) :: device
    end function
    integer(c_int) function weft_test_device_create(seed, device) bind(c)
      import; integer(c_int64_t), value :: seed; type(c_ptr), intent(inout) :: device
    end function
    integer(c_int) function weft_test_device_queue(device, queue) bind(c)
      import; type(c_ptr), value :: device; type(weft_queue), intent(inout) :: queue
    end function
    integer(c_int) function weft_test_device_allocate(device, bytes, memory) bind(c)
      import; type(c_ptr), value :: device; integer(c_size_t), value :: bytes; type(c_ptr), intent(inout) :: memory
    end function
    integer(c_int) function weft_test_device_release(device, memory) bind(c)
      import; type(c_ptr), value :: device, memory
    end function
    integer(c_int) function weft_test_device_inside(device, memory, inside) bind(c)
      import; type(c_ptr), value :: device, memory; type(c_ptr), intent(inout) :: inside
    end function
    integer(c_int) function weft_test_device_launch(queue, kernel, context) bind(c)
      import; type(weft_queue), value :: queue; type(c_funptr), value :: kernel; type(c_ptr), value :: context
    end function
    integer(c_int) function weft_test_device_synchronize(queue) bind(c)
      import; type(weft_queue), value :: queue
    end function
    integer(c_int) function weft_step_number(step, number, round) bind(c)
      import; type(c_ptr), value :: step; integer(c_int64_t), intent(inout) :: number
      integer(c_int), intent(inout) :: round
    end function
    integer(c_int) function weft_step_manager_add(manager, name, client, every, offset) bind(c)
      import; type(c_ptr), value :: manager; character(c_char), intent(in) :: name(*)
      type(client_functions), intent(in) :: client; integer(c_int64_t), value :: every, offset
    end function
    integer(c_int) function weft_step_manager_add_halo(manager, name, halo, client, every, offset) bind(c)
      import; type(c_ptr), value :: manager, halo; character(c_char), intent(in) :: name(*)
      type(client_functions), intent(in) :: client; integer(c_int64_t), value :: every, offset
    end function
    integer(c_int) function weft_step_manager_activate(manager, name, on) bind(c)
      import; type(c_ptr), value :: manager; character(c_char), intent(in) :: name(*); integer(c_int), value :: on
    end function
    integer(c_int) function weft_step_manager_use(manager, options, keep) bind(c)
      import; type(c_ptr), value :: manager; type(step_options), intent(in) :: options; integer(c_int), value :: keep
    end function
    integer(c_int) function weft_step_manager_step(manager, step) bind(c)
      import; type(c_ptr), value :: manager; integer(c_int64_t), intent(inout) :: step
    end function
    integer(c_int) function weft_step_manager_measure_alone(manager, repeats, seconds) bind(c)
      import; type(c_ptr), value :: manager; integer(c_int), value :: repeats; real(c_double), intent(inout) :: seconds
    end function
    integer(c_int) function weft_step_manager_counts(manager, counts) bind(c)
      import; type(c_ptr), value :: manager; type(step_counts), intent(inout) :: counts
    end function
    integer(c_int) function weft_grid_create(comm, dimensions, extent, processes, periodic, grid) bind(c)
      import; type(c_ptr), value :: comm; integer(c_int), value :: dimensions
      integer(c_size_t), intent(in) :: extent(*); integer(c_int), intent(in) :: processes(*), periodic(*)
      type(c_ptr), intent(inout) :: grid
    end function
    integer(c_int) function weft_grid_create_blocks(comm, dimensions, processes, lengths, periodic, grid) bind(c)
      import; type(c_ptr), value :: comm; integer(c_int), value :: dimensions
      integer(c_int), intent(in) :: processes(*), periodic(*); type(c_ptr), intent(in) :: lengths(*)
      type(c_ptr), intent(inout) :: grid
    end function
    integer(c_int) function weft_grid_block(grid, rank, block) bind(c)
      import; type(c_ptr), value :: grid; integer(c_int), value :: rank; type(box_of_points), intent(inout) :: block
    end function
    integer(c_int) function weft_grid_processes(grid, rank, processes, position) bind(c)
      import; type(c_ptr), value :: grid; integer(c_int), value :: rank
      integer(c_int), intent(inout) :: processes(*), position(*)
    end function
    integer(c_int) function weft_grid_neighbour(grid, direction, rank) bind(c)
      import; type(c_ptr), value :: grid; integer(c_int), intent(in) :: direction(*)
      integer(c_int), intent(inout) :: rank
    end function
    integer(c_int) function weft_halo_interior(halo, interior) bind(c)
      import; type(c_ptr), value :: halo; type(box_of_points), intent(inout) :: interior
    end function
    integer(c_int) function weft_halo_boundary(halo, boxes, boundary) bind(c)
      import; type(c_ptr), value :: halo; integer(c_int), intent(inout) :: boxes
      type(box_of_points), intent(inout) :: boundary(*)
    end function
    integer(c_int) function weft_halo_exchange_create(comm, halo, options, exchange) bind(c)
      import; type(c_ptr), value :: comm, halo; type(exchange_options), intent(in) :: options
      type(c_ptr), intent(inout) :: exchange
    end function
    integer(c_int) function weft_graph_create(comm, owned_count, owned, wanted_count, wanted, graph) bind(c)
      import; type(c_ptr), value :: comm; integer(c_size_t), value :: owned_count, wanted_count
      integer(c_int64_t), intent(in) :: owned(*), wanted(*); type(c_ptr), intent(inout) :: graph
    end function
    integer(c_int) function weft_graph_create_matrix(comm, owned_count, owned, row_starts, columns, local_columns, &
        rows, interior, copies, graph) bind(c)
      import; type(c_ptr), value :: comm; integer(c_size_t), value :: owned_count
      integer(c_int64_t), intent(in) :: owned(*), columns(*); integer(c_size_t), intent(in) :: row_starts(*)
      integer(c_int32_t), intent(inout) :: local_columns(*), rows(*)
      integer(c_size_t), intent(inout) :: interior, copies; type(c_ptr), intent(inout) :: graph
    end function
    integer(c_int) function weft_graph_neighbours(graph, readers, owners) bind(c)
      import; type(c_ptr), value :: graph; integer(c_size_t), intent(inout) :: readers, owners
    end function
    integer(c_int) function weft_monitors_add(monitors, added) bind(c)
      import; type(c_ptr), value :: monitors; type(monitor), intent(in) :: added
    end function
    integer(c_int) function weft_monitors_start(monitors, manager, name, options) bind(c)
      import; type(c_ptr), value :: monitors, manager; character(c_char), intent(in) :: name(*)
      type(monitors_options), intent(in) :: options
    end function
    integer(c_int) function weft_monitors_idle_before(monitors, step, idle) bind(c)
      import; type(c_ptr), value :: monitors; integer(c_int64_t), value :: step; integer(c_int), intent(inout) :: idle
    end function
    integer(c_int) function weft_rounds_add(rounds, manager, name) bind(c)
      import; type(c_ptr), value :: rounds, manager; character(c_char), intent(in) :: name(*)
    end function
    integer(c_int) function weft_mailbox_on(mailbox, type, handler, context) bind(c)
      import; type(c_ptr), value :: mailbox, context; integer(c_int), value :: type; type(c_funptr), value :: handler
    end function
    integer(c_int) function weft_mailbox_counts(mailbox, posted, handled) bind(c)
      import; type(c_ptr), value :: mailbox; integer(c_int64_t), intent(inout) :: posted, handled
    end function
    integer(c_int) function weft_tuning_create(comm, problem, options, tuning) bind(c)
      import; type(c_ptr), value :: comm; character(c_char), intent(in) :: problem(*)
      type(tuning_options), intent(in) :: options; type(c_ptr), intent(inout) :: tuning
    end function
    integer(c_int) function weft_setting_value(setting, name, value) bind(c)
      import; type(c_ptr), value :: setting; character(c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: value
    end function
    integer(c_int) function weft_setting_number(setting, name, otherwise, number) bind(c)
      import; type(c_ptr), value :: setting; character(c_char), intent(in) :: name(*)
      integer(c_size_t), value :: otherwise; integer(c_size_t), intent(inout) :: number
    end function
    integer(c_int) function weft_setting_step_options(setting, options) bind(c)
      import; type(c_ptr), value :: setting; type(step_options), intent(inout) :: options
    end function
    integer(c_int) function weft_overlap_report_create(comm, manager, timeline, clients, names, repeats, report) bind(c)
      import; type(c_ptr), value :: comm, manager, timeline; integer(c_int), value :: clients, repeats
      type(c_ptr), intent(in) :: names(*); type(c_ptr), intent(inout) :: report
    end function
    integer(c_int) function weft_overlap_report_fraction(report, fraction) bind(c)
      import; type(c_ptr), value :: report; real(c_double), intent(inout) :: fraction
    end function
    integer(c_int) function weft_pipeline_run(comm, options) bind(c)
      import; type(c_ptr), value :: comm; type(pipeline_options), intent(in) :: options
    end function

    ! Of the C++ files beside this one, which describe them.
    integer(c_int) function weft_fortran_started(communication, exchange, request) bind(c)
      import; type(c_ptr), value :: communication, exchange; type(*), intent(in), optional :: request
    end function
    integer(c_int) function weft_fortran_wait_also(in_step, object, request) bind(c)
      import; integer(c_int), value :: in_step; type(c_ptr), value :: object; type(*), intent(in) :: request
    end function
    integer(c_int) function weft_fortran_is_ready() bind(c)
      import
    end function
    integer(c_int) function weft_fortran_learn_shape(array, address, rank, extents, strides) bind(c)
      import; type(*), dimension(..), intent(inout), target :: array; type(c_ptr), value :: address
      integer(c_int), value :: rank; integer(c_int64_t), intent(in) :: extents(*), strides(*)
    end function
    integer(c_int) function weft_fortran_learn_type(array, type) bind(c)
      import; type(*), dimension(..), intent(inout), target :: array; integer(c_int), value :: type
    end function
    integer(c_int) function weft_fortran_init() bind(c)
      import
    end function
    integer(c_int) function weft_fortran_finalize() bind(c)
      import
    end function
    integer(c_int) function weft_fortran_comm_create(number, mpi, comm) bind(c)
      import; integer(c_int), value :: number; type(*), intent(in), optional :: mpi; type(c_ptr), intent(inout) :: comm
    end function
    integer(c_int) function weft_fortran_free(kind, handle) bind(c)
      import; integer(c_int), value :: kind; type(c_ptr), intent(inout) :: handle
    end function
    subroutine weft_fortran_raise(why) bind(c)
      import; character(c_char), intent(in) :: why(*)
    end subroutine
    integer(c_int) function weft_fortran_raised(value) bind(c)
      import; integer(c_int), value :: value
    end function
    integer(c_int) function weft_fortran_keep(owner, record) bind(c)
      import; type(c_ptr), value :: owner, record
    end function
    type(c_ptr) function weft_fortran_drop(owner) bind(c)
      import; type(c_ptr), value :: owner
    end function
    integer(c_int) function weft_fortran_part(list, receives, peer, key, array, array_rank, all, all_rank, swap, &
        swap_rank, where, op, in_any_order, round, part) bind(c)
      import; type(c_ptr), value :: list; integer(c_int64_t), value :: key; integer(c_intptr_t), value :: op
      integer(c_int), value :: receives, peer, array_rank, all_rank, swap_rank, in_any_order, round
      type(*), dimension(..), intent(inout), target :: array
      type(*), dimension(..), intent(inout), target, optional :: all, swap
      type(section), intent(in) :: where; type(weft_part), intent(inout), optional :: part
    end function
    integer(c_int) function weft_fortran_given(list, receives, peer, key, bytes, up_to, op, type, in_any_order, round, &
        part) bind(c)
      import; type(c_ptr), value :: list; integer(c_int), value :: receives, peer, up_to, type, in_any_order, round
      integer(c_int64_t), value :: key, bytes; integer(c_intptr_t), value :: op
      type(weft_part), intent(inout), optional :: part
    end function
    integer(c_int) function weft_fortran_bind(call_of, object, name, part, array, array_rank, where) bind(c)
      import; integer(c_int), value :: call_of, array_rank; type(c_ptr), value :: object
      character(c_char), intent(in) :: name(*); integer(c_int64_t), value :: part
      type(*), dimension(..), intent(inout), target :: array; type(section), intent(in) :: where
    end function
    integer(c_int) function weft_fortran_rebind_field(in_manager, object, name, field, array, array_rank) bind(c)
      import; integer(c_int), value :: in_manager, field, array_rank; type(c_ptr), value :: object
      character(c_char), intent(in) :: name(*); type(*), dimension(..), intent(inout), target :: array
    end function
    integer(c_int) function weft_fortran_collective(list, kind, this_rank, ranks, root, in, in_rank, in_counts, out, &
        out_rank, out_counts, op, type, round, part) bind(c)
      import; type(c_ptr), value :: list
      integer(c_int), value :: kind, this_rank, ranks, root, in_rank, out_rank, type, round
      type(*), dimension(..), intent(inout), target :: in, out
      integer(c_int64_t), intent(in) :: in_counts(*), out_counts(*); integer(c_intptr_t), value :: op
      type(weft_part), intent(inout), optional :: part
    end function
    integer(c_int) function weft_fortran_halo_add(halo, dimensions, points, layers, components_are, reads, moves, &
        velocities, name, op, device, array, array_rank, number) bind(c)
      import; type(c_ptr), value :: halo, velocities, device; integer(c_intptr_t), value :: op
      integer(c_int), value :: dimensions, layers, components_are, reads, moves, array_rank
      integer(c_int64_t), intent(in) :: points(*); character(c_char), intent(in) :: name(*)
      type(*), dimension(..), intent(inout), target :: array; integer(c_int), intent(inout) :: number
    end function
    integer(c_int) function weft_fortran_graph(graph, list, to_owners, key, owned, owned_rank, copies, copies_rank, &
        type, components_are, op, in_any_order, round, parts) bind(c)
      import; type(c_ptr), value :: graph, list; integer(c_int64_t), value :: key; integer(c_intptr_t), value :: op
      integer(c_int), value :: to_owners, owned_rank, copies_rank, type, components_are, in_any_order, round
      type(*), dimension(..), intent(inout), target :: owned, copies; type(weft_part), intent(inout) :: parts(*)
    end function
    integer(c_int) function weft_fortran_rounds_create(comm, options, ranks, in, in_rank, out, out_rank, rounds) bind(c)
      import; type(c_ptr), value :: comm; type(rounds_options), intent(in) :: options
      integer(c_int), value :: ranks, in_rank, out_rank
      type(*), dimension(..), intent(inout), target, optional :: in, out; type(c_ptr), intent(inout) :: rounds
    end function
    integer(c_int) function weft_fortran_post(mailbox, rank, type, array, array_rank) bind(c)
      import; type(c_ptr), value :: mailbox; integer(c_int), value :: rank, type, array_rank
      type(*), dimension(..), intent(inout), target :: array
    end function
  end interface
  procedure(weft_combine_procedure), bind(c) :: weft_fortran_sum, weft_fortran_minimum, weft_fortran_maximum

contains

  ! ------------------------------------------------------------------------------------------------------------- all

  !> Initialises MPI with MPI_THREAD_MULTIPLE if nobody has, for programs that call MPI nowhere. weft_comm%create does
  !> the same.
  subroutine weft_init(stat, errmsg)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_init(), stat, errmsg)
  end subroutine
  !> Finalises MPI if weft has initialised it.
  subroutine weft_finalize(stat, errmsg)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_finalize(), stat, errmsg)
  end subroutine
  !> Before MPI_Finalize, in a program that goes on after an error: other ranks may still learn of it from this one.
  subroutine weft_end(seconds, stat, errmsg)
    real(real64), intent(in) :: seconds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(c_end(seconds), stat, errmsg)
  end subroutine
  !> A rank that waits for so many seconds while none of its messages completes gets an error; 0: never.
  subroutine weft_set_timeout(seconds, stat, errmsg)
    real(real64), intent(in) :: seconds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(c_set_timeout(seconds), stat, errmsg)
  end subroutine
  !> Warnings (a long wait, a failed rank) go to this module procedure; without it to stderr, as at first.
  subroutine weft_set_warning_handler(handler, stat, errmsg)
    procedure(weft_warning_procedure), optional :: handler
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    if (present(handler)) then
      warning_handler => handler
      call check(c_set_warning_handler(c_funloc(give_warning), c_null_ptr), stat, errmsg)
    else
      call check(c_set_warning_handler(c_null_funptr, c_null_ptr), stat, errmsg)
    end if
  end subroutine
  subroutine give_warning(context, text) bind(c, name='')
    type(c_ptr), value :: context, text
    if (.not. c_associated(context)) call warning_handler(text_of(text))
  end subroutine
  !> In a callback: it has failed when it returns, with this sentence.
  subroutine weft_raise(why)
    character(*), intent(in) :: why
    call weft_fortran_raise(c(why))
  end subroutine
  !> The sentence of the last call of this thread that has failed.
  function weft_error_message() result(text)
    character(:), allocatable :: text
    text = text_of(weft_error_text())
  end function

  !> The version of the library that is linked.
  function weft_version() result(text)
    character(:), allocatable :: text
    text = text_of(c_version())
  end function
  !> How it was built: "version", "commit", "mpi", "compiler" or "options".
  function weft_build_info(what) result(text)
    character(*), intent(in) :: what
    character(:), allocatable :: text
    text = text_of(c_build_info(c(what)))
  end function

  subroutine check(code, stat, errmsg)
    integer(c_int), intent(in) :: code
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    if (code /= weft_ok .and. present(errmsg)) errmsg = weft_error_message()
    if (present(stat)) then
      stat = code
    else
      call weft_check(code)
    end if
  end subroutine

  function c(text)
    character(*), intent(in) :: text
    character(:), allocatable :: c
    c = trim(text)//c_null_char
  end function
  function text_of(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(c_char), pointer :: characters(:)
    integer :: i
    text = ''
    if (.not. c_associated(pointer)) return
    call c_f_pointer(pointer, characters, [c_strlen(pointer)])
    text = repeat(' ', size(characters))
    do i = 1, size(characters)
      text(i:i) = characters(i)
    end do
  end function
  !> Texts with null characters at their ends, and pointers to them.
  subroutine to_c(texts, buffer, pointers)
    character(*), intent(in) :: texts(:)
    character(:), allocatable, target, intent(out) :: buffer
    type(c_ptr), allocatable, intent(out) :: pointers(:)
    integer :: i, at
    buffer = repeat(c_null_char, size(texts)*(len(texts) + 1))
    allocate(pointers(size(texts)))
    do i = 1, size(texts)
      at = (i - 1)*(len(texts) + 1) + 1
      buffer(at:at + len_trim(texts(i)) - 1) = texts(i)
      pointers(i) = c_loc(buffer(at:at))
    end do
  end subroutine
  pure integer(c_int) function number(value, otherwise)
    integer, intent(in), optional :: value
    integer, intent(in) :: otherwise
    number = otherwise
    if (present(value)) number = value
  end function
  pure integer(c_int64_t) function number64(value, otherwise)
    integer(int64), intent(in), optional :: value
    integer, intent(in) :: otherwise
    number64 = otherwise
    if (present(value)) number64 = value
  end function
  pure type(weft_queue) function queue_or_none(queue)
    type(weft_queue), intent(in), optional :: queue
    if (present(queue)) queue_or_none = queue
  end function
  pure integer(c_int) function flag(value)
    logical, intent(in), optional :: value
    flag = 0
    if (present(value)) flag = merge(1, 0, value)
  end function

  pure integer(c_intptr_t) function operation(op)
    integer(c_intptr_t), intent(in), optional :: op
    operation = 0
    if (present(op)) operation = op
  end function

  !> Begins the creation of an object. False, with a code, if it exists.
  logical function is_new(this, kind, code, from)
    class(weft_object), intent(inout) :: this
    integer, intent(in) :: kind
    integer(c_int), intent(out) :: code
    class(weft_object), intent(in), optional :: from
    is_new = .not. c_associated(this%handle)
    code = weft_ok
    if (is_new) then
      this%kind = kind
      if (present(from)) this%rank = from%rank
      if (present(from)) this%ranks = from%ranks
    else
      code = fail_with('This object exists already. Free it before it is created again.')
    end if
  end function
  integer(c_int) function fail_with(why)
    character(*), intent(in) :: why
    interface
      integer(c_int) function c_raise(why) bind(c, name='weft_raise')
        import; character(c_char), intent(in) :: why(*)
      end function
    end interface
    fail_with = c_raise(c(why))
  end function

  logical function object_exists(this)
    class(weft_object), intent(in) :: this
    object_exists = c_associated(this%handle)
  end function
  subroutine object_free(this, stat, errmsg)
    class(weft_object), intent(inout) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    call release(this, code)
    call check(code, stat, errmsg)
  end subroutine
  subroutine release(this, code)
    class(weft_object), intent(inout) :: this
    integer(c_int), intent(out) :: code
    type(c_ptr) :: owner, record
    type(callbacks), pointer :: to
    code = weft_ok
    owner = this%handle
    if (.not. c_associated(owner)) return
    code = weft_fortran_free(this%kind, this%handle)
    if (code /= weft_ok) return
    do
      record = weft_fortran_drop(owner)
      if (.not. c_associated(record)) exit
      call c_f_pointer(record, to)
      deallocate(to)
    end do
  end subroutine
  !> Frees in silence what still exists. Not elemental: gfortran 12 finalises copies of arrays in a derived type.
  subroutine object_finalise(this)
    type(weft_object), intent(inout) :: this
    integer(c_int) :: code
    call release(this, code)
    this%handle = c_null_ptr
  end subroutine
  !> Makes `to` the object's variable; what `to` had is freed, and this variable is empty.
  subroutine object_move_to(this, to, stat, errmsg)
    class(weft_object), intent(inout) :: this, to
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (same_type_as(this, to)) then
      call release(to, code)
      to%handle = this%handle
      to%kind = this%kind
      to%rank = this%rank
      to%ranks = this%ranks
      to%dimensions = this%dimensions
      to%width = this%width
      to%points = this%points
      this%handle = c_null_ptr
    else
      code = fail_with('An object can be moved only to a variable of its type.')
    end if
    call check(code, stat, errmsg)
  end subroutine
  subroutine object_copy(this, from)
    class(weft_object), intent(inout) :: this
    class(weft_object), intent(in) :: from
    if (c_associated(from%handle)) call check(fail_with('Objects of weft can''t be copied, because each is freed '// &
      'with its variable. Pass the variable, point at it, or use move_to.'))
    call this%free()
  end subroutine

  !> Shows weft the array descriptors of this compiler.
  subroutine learn()
    integer(int16), target :: a(40), b(6, 15), d(5, 6, 8)
    integer(int8) :: i1(2)
    integer(int32) :: i4(2)
    integer(int64) :: i8(2)
    real(real32) :: r4(2)
    real(real64) :: r8(2)
    complex(real32) :: c4(2)
    complex(real64) :: c8(2)
    integer(c_int) :: code
    if (weft_fortran_is_ready() /= 0) return
    code = weft_fortran_learn_shape(b(1:6:2, 1:15:3), c_loc(b), 2, [3_int64, 5_int64], [4_int64, 36_int64])
    code = weft_fortran_learn_shape(a(3:38:7), c_loc(a(3)), 1, [6_int64], [14_int64])
    code = weft_fortran_learn_shape(d(2:5:3, 1:6, 1:8:5), c_loc(d(2, 1, 1)), 3, [2_int64, 6_int64, 2_int64], &
      [6_int64, 10_int64, 300_int64])
    code = weft_fortran_learn_type(i1, weft_int8)
    code = weft_fortran_learn_type(a, weft_int16)
    code = weft_fortran_learn_type(i4, weft_int32)
    code = weft_fortran_learn_type(i8, weft_int64)
    code = weft_fortran_learn_type(r4, weft_real32)
    code = weft_fortran_learn_type(r8, weft_real64)
    code = weft_fortran_learn_type(c4, weft_complex32)
    code = weft_fortran_learn_type(c8, weft_complex64)
  end subroutine

  !> `mpi`: a communicator of MPI, an integer or a type(MPI_Comm); without it: MPI_COMM_WORLD.
  subroutine comm_create(this, mpi, stat, errmsg)
    class(weft_comm), intent(inout) :: this
    type(*), intent(in), optional :: mpi
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 1, code)) then
      call learn()
      code = weft_fortran_comm_create(interface_number, mpi, this%handle)
      if (code == weft_ok) code = weft_comm_rank(this%handle, this%rank, this%ranks)
    end if
    call check(code, stat, errmsg)
  end subroutine
  subroutine comm_rank(this, rank, size, stat, errmsg)
    class(weft_comm), intent(in) :: this
    integer, intent(out) :: rank
    integer, intent(out), optional :: size
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: ranks
    call check(weft_comm_rank(this%handle, rank, ranks), stat, errmsg)
    if (present(size)) size = ranks
  end subroutine
  subroutine space_create(this, comm, stat, errmsg)
    class(weft_space), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 2, code, comm)) code = weft_space_create(comm%handle, this%handle)
    call check(code, stat, errmsg)
  end subroutine

  ! -------------------------------------------------------------------------------------------- progress and timelines

  !> `pin`: the core of each thread.
  subroutine progress_create(this, comm, kind, threads, interval_seconds, pin, stat, errmsg)
    class(weft_progress), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(in), optional :: kind, threads, pin(:)
    real(real64), intent(in), optional :: interval_seconds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    integer(c_int), allocatable, target :: cores(:)
    type(progress_options), target :: options
    call set_progress(options, cores, kind, threads, interval_seconds, pin)
    if (is_new(this, 3, code, comm)) code = weft_progress_create(comm%handle, c_loc(options), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine set_progress(options, cores, kind, threads, interval_seconds, pin)
    type(progress_options), intent(out) :: options
    integer(c_int), allocatable, target, intent(out) :: cores(:)
    integer, intent(in), optional :: kind, threads, pin(:)
    real(real64), intent(in), optional :: interval_seconds
    options%size = c_sizeof(options)
    options%kind = number(kind, weft_polling)
    options%threads = number(threads, 0)
    if (present(interval_seconds)) options%interval_seconds = interval_seconds
    if (.not. present(pin)) return
    cores = pin
    options%pin_count = size(pin)
    if (size(pin) > 0) options%pin = c_loc(cores)
  end subroutine

  subroutine timeline_create(this, keep_spans, stat, errmsg)
    class(weft_timeline), intent(inout) :: this
    logical, intent(in), optional :: keep_spans
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 4, code)) code = weft_timeline_create(flag(keep_spans), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine timeline_add(this, track, activity, start, finish, stat, errmsg)
    class(weft_timeline), intent(in) :: this
    character(*), intent(in) :: track
    integer, intent(in) :: activity
    real(real64), intent(in) :: start, finish
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_timeline_add(this%handle, c(track), activity, start, finish), stat, errmsg)
  end subroutine
  subroutine timeline_total(this, track, activity, seconds, stat, errmsg)
    class(weft_timeline), intent(in) :: this
    character(*), intent(in) :: track
    integer, intent(in) :: activity
    real(real64), intent(out) :: seconds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_timeline_total(this%handle, c(track), activity, seconds), stat, errmsg)
  end subroutine
  subroutine timeline_reset(this, stat, errmsg)
    class(weft_timeline), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_timeline_reset(this%handle), stat, errmsg)
  end subroutine
  subroutine timeline_write_trace(this, comm, path, stat, errmsg)
    class(weft_timeline), intent(in) :: this
    type(weft_comm), intent(in) :: comm
    character(*), intent(in) :: path
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_timeline_write_trace(this%handle, comm%handle, c(path)), stat, errmsg)
  end subroutine

  ! ------------------------------------------------------------------------------------------------------------- lists

  !> Adds a send. first=, last=: a box of the array, with its index numbers, `last` included. index=: the elements with
  !> these numbers. All count from lower=, 1 without it. swap=: a second array, for programs that swap two.
  !> component_of=p with the array p(1)%x: x of all elements of p. up_to=.true.: each start chooses how much of the
  !> array is sent.
  subroutine requests_send(this, peer, key, array, part, first, last, lower, index, component_of, swap, type, up_to, &
      round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: peer, key
    type(*), dimension(..), intent(inout), target :: array
    type(*), dimension(..), intent(inout), target, optional :: component_of, swap
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: first(:), last(:), lower(:), index(:), type, round
    logical, intent(in), optional :: up_to
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call add_part(this, 0, peer, key, array, part, first, last, lower, index, component_of, swap, type, up_to, &
      round, stat=stat, errmsg=errmsg)
  end subroutine
  !> Adds a receive; arguments as of a send. op=weft_sum or another: what is received is combined with the values of the
  !> array. Such receives may share elements. They are combined in a fixed order, unless in_any_order=.true., so that
  !> sums have the same bits in every run.
  subroutine requests_receive(this, peer, key, array, part, first, last, lower, index, component_of, swap, &
      type, up_to, round, op, in_any_order, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: peer, key
    type(*), dimension(..), intent(inout), target :: array
    type(*), dimension(..), intent(inout), target, optional :: component_of, swap
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: first(:), last(:), lower(:), index(:), type, round
    logical, intent(in), optional :: up_to, in_any_order
    integer(c_intptr_t), intent(in), optional :: op
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call add_part(this, 1, peer, key, array, part, first, last, lower, index, component_of, swap, type, up_to, &
      round, op, in_any_order, stat, errmsg)
  end subroutine
  subroutine add_part(this, receives, peer, key, array, part, first, last, lower, index, component_of, swap, &
      type, up_to, round, op, in_any_order, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: receives, peer, key
    type(*), dimension(..), intent(inout), target :: array
    type(*), dimension(..), intent(inout), target, optional :: component_of, swap
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: first(:), last(:), lower(:), index(:), type, round
    logical, intent(in), optional :: up_to, in_any_order
    integer(c_intptr_t), intent(in), optional :: op
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int64_t), allocatable, target :: indices(:)
    type(section) :: where
    integer :: n, all_rank, swap_rank
    where%type = number(type, -1)
    where%up_to = flag(up_to)
    where%device = this%device
    if (present(first) .or. present(last) .or. present(index)) then
      where%lower = 1
      if (present(lower)) then
        n = min(size(lower), most_ranks)
        where%lower(:n) = lower(:n)
      end if
      where%first = where%lower
    end if
    if (present(first)) then
      n = min(size(first), most_ranks)
      where%dimensions = n
      where%first(:n) = first(:n)
    end if
    if (present(last)) then
      n = min(size(last), most_ranks)
      if (present(first) .and. n /= where%dimensions) then
        call check(fail_with('first= and last= differ in size.'), stat, errmsg)
        return
      end if
      where%with_last = 1
      where%dimensions = n
      where%last(:n) = last(:n)
    end if
    if (present(index)) then
      if (where%dimensions > 0) then
        call check(fail_with('Use either index=, or first= and last=.'), stat, errmsg)
        return
      end if
      indices = index
      where%indices = size(index)
      if (size(index) > 0) where%index = c_loc(indices)
    end if
    all_rank = 0
    swap_rank = 0
    if (present(component_of)) all_rank = rank(component_of)
    if (present(swap)) swap_rank = rank(swap)
    call check(weft_fortran_part(this%handle, receives, peer, int(key, c_int64_t), array, rank(array), component_of, &
      all_rank, swap, swap_rank, where, operation(op), flag(in_any_order), number(round, 0), part), stat, errmsg)
  end subroutine

  !> Adds a send of so many bytes whose memory is set later, by ready_region or rebind.
  subroutine requests_send_given(this, peer, key, bytes, part, up_to, round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: peer, key
    integer(int64), intent(in) :: bytes
    type(weft_part), intent(inout), optional :: part
    logical, intent(in), optional :: up_to
    integer, intent(in), optional :: round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_given(this%handle, 0, peer, int(key, c_int64_t), bytes, flag(up_to), 0_c_intptr_t, 0, 0, &
      number(round, 0), part), stat, errmsg)
  end subroutine
  !> The receive. op=, in_any_order=: as of a receive, with the type of the elements, such as weft_real64.
  subroutine requests_receive_given(this, peer, key, bytes, part, up_to, round, op, type, in_any_order, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: peer, key
    integer(int64), intent(in) :: bytes
    type(weft_part), intent(inout), optional :: part
    logical, intent(in), optional :: up_to, in_any_order
    integer, intent(in), optional :: round, type
    integer(c_intptr_t), intent(in), optional :: op
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_given(this%handle, 1, peer, int(key, c_int64_t), bytes, flag(up_to), operation(op), &
      number(type, 1), flag(in_any_order), number(round, 0), part), stat, errmsg)
  end subroutine

  !> out = all ranks' in combined.
  subroutine requests_all_reduce(this, in, out, op, part, type, round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    type(*), dimension(..), intent(inout), target :: in, out
    integer(c_intptr_t), intent(in) :: op
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: type, round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call collective(this, weft_collective_all_reduce, 0, in, out, op, part, type, round, stat, errmsg)
  end subroutine
  !> The same on the root only; elsewhere `out` is not used.
  subroutine requests_reduce(this, root, in, out, op, part, type, round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: root
    type(*), dimension(..), intent(inout), target :: in, out
    integer(c_intptr_t), intent(in) :: op
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: type, round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call collective(this, weft_collective_reduce, root, in, out, op, part, type, round, stat, errmsg)
  end subroutine
  subroutine requests_broadcast(this, root, array, part, type, round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: root
    type(*), dimension(..), intent(inout), target :: array
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: type, round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call collective(this, weft_collective_broadcast, root, array, array, 0_c_intptr_t, part, type, round, stat, errmsg)
  end subroutine
  !> counts(r + 1) elements of each rank r, in the order of ranks, on the root; elsewhere `out` is not used.
  subroutine requests_gather(this, root, in, out, counts, part, type, round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: root, counts(:)
    type(*), dimension(..), intent(inout), target :: in, out
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: type, round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call collective(this, 6, root, in, out, 0_c_intptr_t, part, type, round, stat, errmsg, counts)
  end subroutine
  subroutine requests_all_gather(this, in, out, counts, part, type, round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    type(*), dimension(..), intent(inout), target :: in, out
    integer, intent(in) :: counts(:)
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: type, round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call collective(this, weft_collective_all_gather, 0, in, out, 0_c_intptr_t, part, type, round, stat, errmsg, counts)
  end subroutine
  subroutine requests_all_to_all(this, in, in_counts, out, out_counts, part, type, round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    type(*), dimension(..), intent(inout), target :: in, out
    integer, intent(in) :: in_counts(:), out_counts(:)
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: type, round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call collective(this, weft_collective_all_to_all, 0, in, out, 0_c_intptr_t, part, type, round, stat, errmsg, &
      out_counts, in_counts)
  end subroutine
  subroutine collective(this, kind, root, in, out, op, part, type, round, stat, errmsg, counts, in_counts)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: kind, root
    type(*), dimension(..), intent(inout), target :: in, out
    integer(c_intptr_t), intent(in) :: op
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: type, round, counts(:), in_counts(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int64_t) :: of_out(this%ranks), of_in(this%ranks)
    logical :: fit
    fit = .true.
    of_out = 0
    of_in = 0
    if (present(counts)) fit = size(counts) == this%ranks
    if (present(in_counts)) fit = fit .and. size(in_counts) == this%ranks
    if (.not. fit) then
      call check(fail_with('The counts of a collective need one number for each rank.'), stat, errmsg)
      return
    end if
    if (present(counts)) of_out = counts
    if (present(in_counts)) of_in = in_counts
    call check(weft_fortran_collective(this%handle, kind, this%rank, this%ranks, root, in, rank(in), of_in, out, &
      rank(out), of_out, op, number(type, -1), number(round, 0), part), stat, errmsg)
  end subroutine
  subroutine requests_barrier(this, part, round, stat, errmsg)
    class(weft_requests), intent(in) :: this
    type(weft_part), intent(inout), optional :: part
    integer, intent(in), optional :: round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_barrier(this%handle, number(round, 0), part), stat, errmsg)
  end subroutine
  !> When all parts of this client in `round` are complete, `then` is called, perhaps by a progress thread, and the
  !> client's parts of the next round are sent.
  subroutine requests_continuation(this, round, then, context, stat, errmsg)
    class(weft_requests), intent(in) :: this
    integer, intent(in) :: round
    procedure(weft_procedure) :: then
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(callbacks), pointer :: to
    integer(c_int) :: code
    to => callbacks_of(this%owner, context)
    to%first => then
    code = weft_continuation(this%handle, round, c_funloc(call_first), c_loc(to))
    call keep(to, code)
    call check(code, stat, errmsg)
  end subroutine
  !> A text that must be the same on all ranks, such as "grid of 64 x 64 points".
  subroutine requests_agree_on(this, text, stat, errmsg)
    class(weft_requests), intent(in) :: this
    character(*), intent(in) :: text
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_agree_on(this%handle, c(text)), stat, errmsg)
  end subroutine

  !> The arrays of the parts that are listed from now on lie on this device: what host_data use_device of OpenACC, or
  !> use_device_addr of OpenMP, gives. Without a device: on the host. Not parts without memory (send_given, receive_given).
  subroutine requests_on(this, device)
    class(weft_requests), intent(inout) :: this
    class(weft_device), intent(in), optional :: device
    this%device = c_null_ptr
    if (present(device)) this%device = device%handle
  end subroutine

  ! ---------------------------------------------------------------------------------------------------------- devices

  !> The device with this number; without one that of the current context.
  subroutine device_create_cuda(this, ordinal, stat, errmsg)
    class(weft_device), intent(inout) :: this
    integer, intent(in), optional :: ordinal
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 17, code)) code = weft_device_cuda(number(ordinal, -1), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine device_create_hip(this, ordinal, stat, errmsg)
    class(weft_device), intent(inout) :: this
    integer, intent(in), optional :: ordinal
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 17, code)) code = weft_device_hip(number(ordinal, -1), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine device_create_test(this, seed, stat, errmsg)
    class(weft_device), intent(inout) :: this
    integer, intent(in), optional :: seed
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 17, code)) code = weft_test_device_create(int(number(seed, 1), c_int64_t), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  !> The queue of a stream: a cudaStream_t or hipStream_t, as an address or as the number that acc_get_cuda_stream gives.
  type(weft_queue) function device_queue_of_pointer(this, stream) result(queue)
    class(weft_device), intent(in) :: this
    type(c_ptr), intent(in) :: stream
    queue%device = this%handle
    queue%stream = stream
  end function
  type(weft_queue) function device_queue_of_number(this, stream) result(queue)
    class(weft_device), intent(in) :: this
    integer(int64), intent(in) :: stream
    queue%device = this%handle
    queue%stream = transfer(int(stream, c_intptr_t), queue%stream)
  end function
  !> A queue of a test device.
  subroutine device_test_queue(this, queue, stat, errmsg)
    class(weft_device), intent(in) :: this
    type(weft_queue), intent(out) :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_test_device_queue(this%handle, queue), stat, errmsg)
  end subroutine
  !> Memory of a test device: c_f_pointer makes an array of it, which only weft and kernels may use.
  subroutine device_test_allocate(this, bytes, memory, stat, errmsg)
    class(weft_device), intent(in) :: this
    integer(int64), intent(in) :: bytes
    type(c_ptr), intent(out) :: memory
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    memory = c_null_ptr
    call check(weft_test_device_allocate(this%handle, int(bytes, c_size_t), memory), stat, errmsg)
  end subroutine
  subroutine device_test_release(this, memory, stat, errmsg)
    class(weft_device), intent(in) :: this
    type(c_ptr), intent(in) :: memory
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_test_device_release(this%handle, memory), stat, errmsg)
  end subroutine
  !> Where kernels access this memory.
  subroutine device_test_inside(this, memory, inside, stat, errmsg)
    class(weft_device), intent(in) :: this
    type(c_ptr), intent(in) :: memory
    type(c_ptr), intent(out) :: inside
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    inside = c_null_ptr
    call check(weft_test_device_inside(this%handle, memory, inside), stat, errmsg)
  end subroutine
  !> Queues a kernel: a subroutine, bind(c), of one type(c_ptr), value. It may run in any thread.
  subroutine device_test_launch(queue, kernel, context, stat, errmsg)
    type(weft_queue), intent(in) :: queue
    type(c_funptr), intent(in) :: kernel
    type(c_ptr), intent(in) :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_test_device_launch(queue, kernel, context), stat, errmsg)
  end subroutine
  subroutine device_test_synchronize(queue, stat, errmsg)
    type(weft_queue), intent(in) :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_test_device_synchronize(queue), stat, errmsg)
  end subroutine

  ! -------------------------------------------------------------------------------------------------------- reductions

  !> A reduction of elements of so many bytes; pass its id() as op=.
  subroutine op_create(this, combine, element_bytes, commutative, stat, errmsg)
    class(weft_op), intent(inout) :: this
    procedure(weft_combine_procedure) :: combine
    integer, intent(in) :: element_bytes
    logical, intent(in), optional :: commutative
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 6, code)) code = weft_op_create(c_funloc(combine), int(element_bytes, c_size_t), &
      flag(commutative), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  integer(c_intptr_t) function op_id(this)
    class(weft_op), intent(in) :: this
    op_id = transfer(this%handle, op_id)
  end function

  ! --------------------------------------------------------------------------------------------------------- exchanges

  type(message_options) function messages_of(grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes, &
      watchdog_seconds, shared_memory, defer_unpacking) result(options)
    integer, intent(in), optional :: grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes
    real(real64), intent(in), optional :: watchdog_seconds
    logical, intent(in), optional :: shared_memory, defer_unpacking
    options%size = c_sizeof(options)
    options%grouping = number(grouping, weft_per_peer)
    options%carrier = number(carrier, weft_messages)
    options%packed_limit_bytes = number(packed_limit_bytes, 0)
    options%by_size_bytes = number(by_size_bytes, 0)
    options%piece_bytes = number(piece_bytes, 0)
    if (present(watchdog_seconds)) options%watchdog_seconds = watchdog_seconds
    options%shared_memory = flag(shared_memory)
    options%defer_unpacking = flag(defer_unpacking)
  end function

  subroutine exchange_create(this, comm, grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes, &
      watchdog_seconds, shared_memory, defer_unpacking, progress, timeline, space, ignores_buffer_indices, stat, errmsg)
    class(weft_exchange), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(in), optional :: grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes
    real(real64), intent(in), optional :: watchdog_seconds
    logical, intent(in), optional :: shared_memory, defer_unpacking
    type(weft_progress), intent(in), optional :: progress
    type(weft_timeline), intent(in), optional :: timeline
    type(weft_space), intent(in), optional :: space
    logical, intent(in), optional :: ignores_buffer_indices
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(exchange_options), target :: options
    integer(c_int) :: code
    options%size = c_sizeof(options)
    options%messages = messages_of(grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes, &
      watchdog_seconds, shared_memory, defer_unpacking)
    if (present(progress)) options%progress = progress%handle
    if (present(timeline)) options%timeline = timeline%handle
    if (present(space)) options%space = space%handle
    options%ignores_buffer_indices = flag(ignores_buffer_indices)
    if (is_new(this, 5, code, comm)) code = weft_exchange_create(comm%handle, c_loc(options), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine exchange_client(this, name, list, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    character(*), intent(in) :: name
    type(weft_requests), intent(out) :: list
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    list%owner = this%handle
    list%rank = this%rank
    list%ranks = this%ranks
    call check(weft_exchange_client(this%handle, c(name), list%handle), stat, errmsg)
  end subroutine
  subroutine exchange_commit(this, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_commit(this%handle), stat, errmsg)
  end subroutine
  subroutine exchange_start(this, buffer_index, queue, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    integer(int64), intent(in), optional :: buffer_index
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_start_queue(this%handle, number64(buffer_index, 0), queue_or_none(queue)), stat, errmsg)
  end subroutine
  subroutine exchange_ready(this, part, queue, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    if (present(queue)) then
      call check(weft_exchange_ready_queue(this%handle, part%number, queue), stat, errmsg)
    else
      call check(weft_exchange_ready(this%handle, part%number), stat, errmsg)
    end if
  end subroutine
  !> Of a part of up to n bytes: sends the first bytes.
  subroutine exchange_ready_bytes(this, part, bytes, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    integer(int64), intent(in) :: bytes
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_ready_bytes(this%handle, part%number, int(bytes, c_size_t)), stat, errmsg)
  end subroutine
  !> Of a part without memory: sends this array, in this start only.
  subroutine exchange_ready_region(this, part, array, type, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(in), optional :: type
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(section) :: where
    where%type = number(type, -1)
    call check(weft_fortran_bind(0, this%handle, c(''), part%number, array, rank(array), where), stat, errmsg)
  end subroutine
  subroutine exchange_ready_all(this, client, round, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_requests), intent(in) :: client
    integer, intent(in), optional :: round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_ready_all(this%handle, client%handle, number(round, 0)), stat, errmsg)
  end subroutine
  subroutine exchange_accept_all(this, client, round, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_requests), intent(in) :: client
    integer, intent(in), optional :: round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_accept_all(this%handle, client%handle, number(round, 0)), stat, errmsg)
  end subroutine
  subroutine exchange_accept(this, part, queue, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_accept_queue(this%handle, part%number, queue_or_none(queue)), stat, errmsg)
  end subroutine
  subroutine exchange_progress(this, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_progress(this%handle), stat, errmsg)
  end subroutine
  subroutine exchange_arrived(this, part, arrived, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    logical, intent(out) :: arrived
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_exchange_arrived(this%handle, part%number, n), stat, errmsg)
    arrived = n /= 0
  end subroutine
  subroutine exchange_test(this, done, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    logical, intent(out) :: done
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_exchange_test(this%handle, n), stat, errmsg)
    done = n /= 0
  end subroutine
  !> The next wait also waits for this active request of MPI, an integer or a type(MPI_Request). It stays where it is
  !> until then; afterwards it has no meaning (a persistent one may be started again).
  subroutine exchange_wait_also(this, request, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(*), intent(inout), target :: request
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_wait_also(0, this%handle, request), stat, errmsg)
  end subroutine
  subroutine exchange_wait_round(this, round, queue, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    integer, intent(in) :: round
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_wait_round_queue(this%handle, round, queue_or_none(queue)), stat, errmsg)
  end subroutine
  subroutine exchange_wait(this, queue, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_wait_queue(this%handle, queue_or_none(queue)), stat, errmsg)
  end subroutine
  !> The memory of a part without memory, from the next start on.
  subroutine exchange_rebind(this, part, array, type, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(in), optional :: type
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(section) :: where
    where%type = number(type, -1)
    call check(weft_fortran_bind(2, this%handle, c(''), part%number, array, rank(array), where), stat, errmsg)
  end subroutine
  subroutine exchange_received_bytes(this, part, bytes, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: n
    n = 0
    call check(weft_exchange_received_bytes(this%handle, part%number, n), stat, errmsg)
    bytes = n
  end subroutine
  subroutine exchange_sent_bytes(this, part, bytes, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: n
    n = 0
    call check(weft_exchange_sent_bytes(this%handle, part%number, n), stat, errmsg)
    bytes = n
  end subroutine
  !> What was received for a part of up to n bytes without memory.
  subroutine exchange_take_received(this, part, data, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    type(weft_part), intent(in) :: part
    integer(int8), allocatable, intent(out) :: data(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: memory
    integer(c_size_t) :: n
    integer(c_int) :: code
    n = 0
    memory = c_null_ptr
    code = weft_exchange_take_received(this%handle, part%number, memory, n)
    call copy_bytes(memory, n, data)
    call check(code, stat, errmsg)
  end subroutine
  subroutine copy_bytes(memory, n, data)
    type(c_ptr), intent(in) :: memory
    integer(c_size_t), intent(in) :: n
    integer(int8), allocatable, intent(out) :: data(:)
    integer(int8), pointer :: bytes(:)
    integer(c_int) :: code
    allocate(data(n))
    if (.not. c_associated(memory)) return
    call c_f_pointer(memory, bytes, [n])
    data = bytes
    code = weft_memory_free(memory)
  end subroutine
  subroutine exchange_fail(this, why, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    character(*), intent(in) :: why
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_exchange_fail(this%handle, c(why)), stat, errmsg)
  end subroutine
  subroutine exchange_has_failed(this, failed, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    logical, intent(out) :: failed
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_exchange_has_failed(this%handle, n), stat, errmsg)
    failed = n /= 0
  end subroutine
  subroutine exchange_describe(this, text, stat, errmsg)
    class(weft_exchange), intent(in) :: this
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call check(weft_exchange_describe(this%handle, pointer), stat, errmsg)
    text = text_of(pointer)
  end subroutine

  ! ------------------------------------------------------------------------------------------------------------- steps

  subroutine step_number(this, number, round, stat, errmsg)
    class(weft_step), intent(in) :: this
    integer(int64), intent(out) :: number
    integer, intent(out), optional :: round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    number = 0
    call check(weft_step_number(this%handle, number, n), stat, errmsg)
    if (present(round)) round = n
  end subroutine
  subroutine step_ready(this, part, queue, stat, errmsg)
    class(weft_step), intent(in) :: this
    type(weft_part), intent(in) :: part
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    if (present(queue)) then
      call check(weft_step_ready_queue(this%handle, part%number, queue), stat, errmsg)
    else
      call check(weft_step_ready(this%handle, part%number), stat, errmsg)
    end if
  end subroutine
  !> Of a part of up to n bytes: sends the first bytes.
  subroutine step_ready_bytes(this, part, bytes, stat, errmsg)
    class(weft_step), intent(in) :: this
    type(weft_part), intent(in) :: part
    integer(int64), intent(in) :: bytes
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_ready_bytes(this%handle, part%number, int(bytes, c_size_t)), stat, errmsg)
  end subroutine
  !> Of a part without memory: sends this array, in this step only.
  subroutine step_ready_region(this, part, array, type, stat, errmsg)
    class(weft_step), intent(in) :: this
    type(weft_part), intent(in) :: part
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(in), optional :: type
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(section) :: where
    where%type = number(type, -1)
    call check(weft_fortran_bind(1, this%handle, c(''), part%number, array, rank(array), where), stat, errmsg)
  end subroutine
  subroutine step_accept(this, part, queue, stat, errmsg)
    class(weft_step), intent(in) :: this
    type(weft_part), intent(in) :: part
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_accept_queue(this%handle, part%number, queue_or_none(queue)), stat, errmsg)
  end subroutine
  subroutine step_received_bytes(this, part, bytes, stat, errmsg)
    class(weft_step), intent(in) :: this
    type(weft_part), intent(in) :: part
    integer(int64), intent(out) :: bytes
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: n
    n = 0
    call check(weft_step_received_bytes(this%handle, part%number, n), stat, errmsg)
    bytes = n
  end subroutine
  !> What was received for a part of up to n bytes without memory.
  subroutine step_take_received(this, part, data, stat, errmsg)
    class(weft_step), intent(in) :: this
    type(weft_part), intent(in) :: part
    integer(int8), allocatable, intent(out) :: data(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: memory
    integer(c_size_t) :: n
    integer(c_int) :: code
    n = 0
    memory = c_null_ptr
    code = weft_step_take_received(this%handle, part%number, memory, n)
    call copy_bytes(memory, n, data)
    call check(code, stat, errmsg)
  end subroutine
  !> As of an exchange.
  subroutine step_wait_also(this, request, stat, errmsg)
    class(weft_step), intent(in) :: this
    type(*), intent(inout), target :: request
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_wait_also(1, this%handle, request), stat, errmsg)
  end subroutine
  subroutine step_progress(this, stat, errmsg)
    class(weft_step), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_progress(this%handle), stat, errmsg)
  end subroutine
  !> `progress`: a weft_progress_kind such as weft_polling.
  subroutine manager_create(this, comm, grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes, &
      watchdog_seconds, shared_memory, defer_unpacking, progress, threads, interval_seconds, pin, timeline, &
      separate, stat, errmsg)
    class(weft_step_manager), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(in), optional :: grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes
    real(real64), intent(in), optional :: watchdog_seconds
    logical, intent(in), optional :: shared_memory, defer_unpacking
    integer, intent(in), optional :: progress, threads, pin(:)
    real(real64), intent(in), optional :: interval_seconds
    type(weft_timeline), intent(in), optional :: timeline
    logical, intent(in), optional :: separate
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(step_options), target :: options
    integer(c_int), allocatable, target :: cores(:)
    integer(c_int) :: code
    options%size = c_sizeof(options)
    options%messages = messages_of(grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes, &
      watchdog_seconds, shared_memory, defer_unpacking)
    call set_progress(options%progress, cores, progress, threads, interval_seconds, pin)
    options%separate = flag(separate)
    if (present(timeline)) options%timeline = timeline%handle
    if (is_new(this, 7, code, comm)) code = weft_step_manager_create(comm%handle, c_loc(options), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  !> Adds a client, called in the steps n with modulo(n, every) == modulo(offset, every).
  subroutine manager_add(this, name, request, before, during, after, finish, every, offset, context, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(*), intent(in) :: name
    procedure(weft_request_procedure) :: request
    procedure(weft_step_procedure), optional :: before, during, after, finish
    integer(int64), intent(in), optional :: every, offset
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(callbacks), pointer :: to
    type(client_functions) :: client
    integer(c_int) :: code
    to => callbacks_of(this%handle, context, this)
    call set_client(to, client, request, before, during, after, finish)
    code = weft_step_manager_add(this%handle, c(name), client, &
      number64(every, 0), number64(offset, 0))
    call keep(to, code)
    call check(code, stat, errmsg)
  end subroutine
  !> The same for a halo, whose parts weft lists.
  subroutine manager_add_halo(this, name, halo, before, during, after, finish, every, offset, context, request, &
      stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(*), intent(in) :: name
    type(weft_halo), intent(in) :: halo
    procedure(weft_request_procedure), optional :: request
    procedure(weft_step_procedure), optional :: before, during, after, finish
    integer(int64), intent(in), optional :: every, offset
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(callbacks), pointer :: to
    type(client_functions) :: client
    integer(c_int) :: code
    to => callbacks_of(this%handle, context, this)
    call set_client(to, client, request, before, during, after, finish)
    code = weft_step_manager_add_halo(this%handle, c(name), halo%handle, client, &
      number64(every, 0), number64(offset, 0))
    call keep(to, code)
    call check(code, stat, errmsg)
  end subroutine
  subroutine set_client(to, client, request, before, during, after, finish)
    type(callbacks), pointer, intent(in) :: to
    type(client_functions), intent(out) :: client
    procedure(weft_request_procedure), optional :: request
    procedure(weft_step_procedure), optional :: before, during, after, finish
    client%size = c_sizeof(client)
    client%context = c_loc(to)
    if (present(request)) then
      to%request => request
      client%request = c_funloc(call_request)
    end if
    if (present(before)) then
      to%before => before
      client%before = c_funloc(call_before)
    end if
    if (present(during)) then
      to%during => during
      client%during = c_funloc(call_during)
    end if
    if (present(after)) then
      to%after => after
      client%after = c_funloc(call_after)
    end if
    if (present(finish)) then
      to%finish => finish
      client%finish = c_funloc(call_finish)
    end if
  end subroutine
  subroutine manager_remove(this, name, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_manager_remove(this%handle, c(name)), stat, errmsg)
  end subroutine
  !> Calls the client's request procedure again.
  subroutine manager_changed(this, name, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_manager_changed(this%handle, c(name)), stat, errmsg)
  end subroutine
  subroutine manager_activate(this, name, on, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(*), intent(in) :: name
    logical, intent(in) :: on
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_manager_activate(this%handle, c(name), flag(on)), stat, errmsg)
  end subroutine
  subroutine manager_rebind(this, name, part, array, type, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(*), intent(in) :: name
    type(weft_part), intent(in) :: part
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(in), optional :: type
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(section) :: where
    where%type = number(type, -1)
    call check(weft_fortran_bind(3, this%handle, c(name), part%number, array, rank(array), where), stat, errmsg)
  end subroutine
  subroutine manager_rebind_field(this, name, field, array, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(*), intent(in) :: name
    integer, intent(in) :: field
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_rebind_field(1, this%handle, c(name), field, array, rank(array)), stat, errmsg)
  end subroutine
  !> Uses other options from the next step on; what `setting` names overrides them.
  subroutine manager_use(this, grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes, watchdog_seconds, &
      shared_memory, defer_unpacking, progress, threads, interval_seconds, pin, separate, keep, setting, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    integer, intent(in), optional :: grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes
    real(real64), intent(in), optional :: watchdog_seconds
    logical, intent(in), optional :: shared_memory, defer_unpacking
    integer, intent(in), optional :: progress, threads, pin(:)
    real(real64), intent(in), optional :: interval_seconds
    logical, intent(in), optional :: separate, keep
    type(weft_setting), intent(in), optional :: setting
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(step_options) :: options
    integer(c_int), allocatable, target :: cores(:)
    integer(c_int) :: code
    options%size = c_sizeof(options)
    options%messages = messages_of(grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes, &
      watchdog_seconds, shared_memory, defer_unpacking)
    call set_progress(options%progress, cores, progress, threads, interval_seconds, pin)
    options%separate = flag(separate)
    code = weft_ok
    if (present(setting)) code = weft_setting_step_options(setting%handle, options)
    if (code == weft_ok) code = weft_step_manager_use(this%handle, options, flag(keep))
    call check(code, stat, errmsg)
  end subroutine
  subroutine manager_start_at(this, step, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    integer(int64), intent(in) :: step
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_manager_start_at(this%handle, step), stat, errmsg)
  end subroutine
  subroutine manager_run_step(this, queue, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_manager_run_step_queue(this%handle, queue_or_none(queue)), stat, errmsg)
  end subroutine
  subroutine manager_step(this, step, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    integer(int64), intent(out) :: step
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    step = 0
    call check(weft_step_manager_step(this%handle, step), stat, errmsg)
  end subroutine
  subroutine manager_measure_alone(this, repeats, seconds, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    integer, intent(in) :: repeats
    real(real64), intent(out) :: seconds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    seconds = 0
    call check(weft_step_manager_measure_alone(this%handle, repeats, seconds), stat, errmsg)
  end subroutine
  subroutine manager_counts(this, steps, waits, collectives, messages, bytes, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    integer(int64), intent(out), optional :: steps, waits, collectives, messages, bytes
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(step_counts) :: counts
    counts%size = c_sizeof(counts)
    call check(weft_step_manager_counts(this%handle, counts), stat, errmsg)
    if (present(steps)) steps = counts%steps
    if (present(waits)) waits = counts%waits
    if (present(collectives)) collectives = counts%collectives
    if (present(messages)) messages = counts%messages
    if (present(bytes)) bytes = counts%bytes
  end subroutine
  subroutine manager_reset_counts(this, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_manager_reset_counts(this%handle), stat, errmsg)
  end subroutine
  subroutine manager_fail(this, why, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(*), intent(in) :: why
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_step_manager_fail(this%handle, c(why)), stat, errmsg)
  end subroutine
  subroutine manager_has_failed(this, failed, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    logical, intent(out) :: failed
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_step_manager_has_failed(this%handle, n), stat, errmsg)
    failed = n /= 0
  end subroutine
  subroutine manager_describe(this, text, stat, errmsg)
    class(weft_step_manager), intent(in) :: this
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call check(weft_step_manager_describe(this%handle, pointer), stat, errmsg)
    text = text_of(pointer)
  end subroutine

  ! ------------------------------------------------------------------------------------------------------------- halos

  !> Points in blocks over the ranks, in 1 to 3 dimensions. `processes`: ranks along each axis, 0 where weft chooses.
  subroutine grid_create(this, comm, extent, processes, periodic, stat, errmsg)
    class(weft_grid), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(in) :: extent(:)
    integer, intent(in), optional :: processes(:)
    logical, intent(in), optional :: periodic(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code, along(3), wraps(3)
    integer(c_size_t) :: points(3)
    integer :: n
    n = min(size(extent), 3)
    points = 1
    points(:n) = extent(:n)
    along = 0
    wraps = 0
    if (present(processes)) along(:min(size(processes), 3)) = processes(:min(size(processes), 3))
    if (present(periodic)) wraps(:min(size(periodic), 3)) = merge(1, 0, periodic(:min(size(periodic), 3)))
    if (is_new(this, 8, code, comm)) code = weft_grid_create(comm%handle, size(extent), points, along, wraps, &
      this%handle)
    this%dimensions = n
    call check(code, stat, errmsg)
  end subroutine
  !> The same with blocks of given lengths: x(i) points along the first axis for the i-th process there, and so on.
  subroutine grid_create_blocks(this, comm, x, y, z, periodic, stat, errmsg)
    class(weft_grid), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(in) :: x(:)
    integer, intent(in), optional :: y(:), z(:)
    logical, intent(in), optional :: periodic(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_size_t), allocatable, target :: of_x(:), of_y(:), of_z(:)
    type(c_ptr) :: lengths(3)
    integer(c_int) :: code, along(3), wraps(3), n
    along = 1
    lengths = c_null_ptr
    n = 1
    call add(x, of_x, 1)
    if (present(y)) call add(y, of_y, 2)
    if (present(z)) call add(z, of_z, 3)
    wraps = 0
    if (present(periodic)) wraps(:min(size(periodic), 3)) = merge(1, 0, periodic(:min(size(periodic), 3)))
    if (is_new(this, 8, code, comm)) code = weft_grid_create_blocks(comm%handle, n, along, lengths, wraps, this%handle)
    this%dimensions = n
    call check(code, stat, errmsg)
  contains
    subroutine add(given, kept, axis)
      integer, intent(in) :: given(:), axis
      integer(c_size_t), allocatable, target, intent(out) :: kept(:)
      kept = given
      along(axis) = size(given)
      if (size(given) > 0) lengths(axis) = c_loc(kept)
      n = axis
    end subroutine
  end subroutine
  !> The points first to last of a rank, numbered over the whole grid from 1; without rank=, of this one.
  subroutine grid_block(this, first, last, rank, stat, errmsg)
    class(weft_grid), intent(in) :: this
    integer, intent(out) :: first(3), last(3)
    integer, intent(in), optional :: rank
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(box_of_points) :: block
    call check(weft_grid_block(this%handle, number(rank, this%rank), block), stat, errmsg)
    call to_bounds(block, first, last)
  end subroutine
  subroutine to_bounds(points, first, last)
    type(box_of_points), intent(in) :: points
    integer, intent(out) :: first(3), last(3)
    first = int(points%first) + 1
    last = int(points%first) + int(points%count)
  end subroutine
  !> Ranks along each axis, and the position of a rank, from 0.
  subroutine grid_processes(this, processes, position, rank, stat, errmsg)
    class(weft_grid), intent(in) :: this
    integer, intent(out), optional :: processes(3), position(3)
    integer, intent(in), optional :: rank
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: along(3), at(3)
    along = 1
    at = 0
    call check(weft_grid_processes(this%handle, number(rank, this%rank), along, at), stat, errmsg)
    if (present(processes)) processes = along
    if (present(position)) position = at
  end subroutine
  !> The rank in a direction (-1, 0 or 1 along each axis); -1 beyond an edge.
  subroutine grid_neighbour(this, direction, rank, stat, errmsg)
    class(weft_grid), intent(in) :: this
    integer, intent(in) :: direction(:)
    integer, intent(out) :: rank
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: towards(3)
    towards = 0
    towards(:min(size(direction), 3)) = direction(:min(size(direction), 3))
    rank = -1
    call check(weft_grid_neighbour(this%handle, towards, rank), stat, errmsg)
  end subroutine
  subroutine halo_create(this, grid, width, scheme, payload, reverse, stat, errmsg)
    class(weft_halo), intent(inout) :: this
    type(weft_grid), intent(in) :: grid
    integer, intent(in), optional :: width, scheme, payload
    logical, intent(in), optional :: reverse
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(halo_options), target :: options
    type(box_of_points) :: block
    integer(c_int) :: code
    options%size = c_sizeof(options)
    options%width = number(width, 1)
    options%scheme = number(scheme, weft_direct)
    options%payload = number(payload, weft_whole)
    options%reverse = flag(reverse)
    if (is_new(this, 9, code, grid)) then
      code = weft_halo_create(grid%handle, c_loc(options), this%handle)
      if (code == weft_ok) code = weft_grid_block(grid%handle, grid%rank, block)
      this%dimensions = grid%dimensions
      this%width = number(width, 1)
      this%points = block%count
    end if
    call check(code, stat, errmsg)
  end subroutine
  !> Adds a field: an array with the points of this rank's block and `layers` ghost points on each side (without
  !> layers=, the halo's width), such as u(0:nx + 1, 0:ny + 1). One more dimension, first or last, has the
  !> values per point. op=weft_sum or another, in a halo with reverse=.true.: owners combine the values of all ghost
  !> points with their own.
  subroutine halo_add(this, array, number, layers, components, reads, moves, velocities, name, op, device, stat, errmsg)
    class(weft_halo), intent(in) :: this
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(out), optional :: number
    integer, intent(in), optional :: layers, components, reads, velocities(:, :)
    logical, intent(in), optional :: moves
    character(*), intent(in), optional :: name
    integer(c_intptr_t), intent(in), optional :: op
    class(weft_device), intent(in), optional :: device
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int), allocatable, target :: directions(:, :)
    integer(c_int) :: code, at, ghosts, where, what
    type(c_ptr) :: pointer, of_device
    character(:), allocatable :: label
    label = 'field'
    if (present(name)) label = name
    pointer = c_null_ptr
    if (present(velocities)) then
      directions = velocities
      pointer = c_loc(directions)
    end if
    of_device = c_null_ptr
    if (present(device)) of_device = device%handle
    ghosts = this%width
    if (present(layers)) ghosts = layers
    where = 0
    if (present(components)) where = components
    what = weft_reads_all
    if (present(reads)) what = reads
    at = 0
    code = weft_fortran_halo_add(this%handle, this%dimensions, this%points, ghosts, where, what, flag(moves), pointer, &
      c(label), operation(op), of_device, array, rank(array), at)
    if (present(number)) number = at
    call check(code, stat, errmsg)
  end subroutine
  subroutine halo_request(this, list, stat, errmsg)
    class(weft_halo), intent(in) :: this
    type(weft_requests), intent(in) :: list
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_halo_request(this%handle, list%handle), stat, errmsg)
  end subroutine
  subroutine halo_rounds(this, rounds, stat, errmsg)
    class(weft_halo), intent(in) :: this
    integer, intent(out) :: rounds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_halo_rounds(this%handle, n), stat, errmsg)
    rounds = n
  end subroutine
  !> The points that need no ghost point: first to last, where the block's own first point is 1.
  subroutine halo_interior(this, first, last, stat, errmsg)
    class(weft_halo), intent(in) :: this
    integer, intent(out) :: first(3), last(3)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(box_of_points) :: points
    call check(weft_halo_interior(this%handle, points), stat, errmsg)
    call to_bounds(points, first, last)
  end subroutine
  !> The others, in at most 6 boxes.
  subroutine halo_boundary(this, boxes, first, last, stat, errmsg)
    class(weft_halo), intent(in) :: this
    integer, intent(out) :: boxes, first(3, 6), last(3, 6)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(box_of_points) :: points(6)
    integer :: i
    boxes = 0
    call check(weft_halo_boundary(this%handle, boxes, points), stat, errmsg)
    do i = 1, 6
      call to_bounds(points(i), first(:, i), last(:, i))
    end do
  end subroutine
  subroutine halo_describe(this, text, stat, errmsg)
    class(weft_halo), intent(in) :: this
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call check(weft_halo_describe(this%handle, pointer), stat, errmsg)
    text = text_of(pointer)
  end subroutine
  subroutine halo_exchange_create(this, comm, halo, grouping, carrier, packed_limit_bytes, by_size_bytes, &
      piece_bytes, watchdog_seconds, shared_memory, defer_unpacking, progress, timeline, space, &
      ignores_buffer_indices, stat, errmsg)
    class(weft_halo_exchange), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    type(weft_halo), intent(in) :: halo
    integer, intent(in), optional :: grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes
    real(real64), intent(in), optional :: watchdog_seconds
    logical, intent(in), optional :: shared_memory, defer_unpacking
    type(weft_progress), intent(in), optional :: progress
    type(weft_timeline), intent(in), optional :: timeline
    type(weft_space), intent(in), optional :: space
    logical, intent(in), optional :: ignores_buffer_indices
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(exchange_options) :: options
    integer(c_int) :: code
    options%size = c_sizeof(options)
    options%messages = messages_of(grouping, carrier, packed_limit_bytes, by_size_bytes, piece_bytes, &
      watchdog_seconds, shared_memory, defer_unpacking)
    if (present(progress)) options%progress = progress%handle
    if (present(timeline)) options%timeline = timeline%handle
    if (present(space)) options%space = space%handle
    options%ignores_buffer_indices = flag(ignores_buffer_indices)
    if (is_new(this, 10, code, comm)) code = weft_halo_exchange_create(comm%handle, halo%handle, options, this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine halo_exchange_start(this, buffer_index, queue, stat, errmsg)
    class(weft_halo_exchange), intent(in) :: this
    integer(int64), intent(in), optional :: buffer_index
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_halo_exchange_start_queue(this%handle, number64(buffer_index, 0), queue_or_none(queue)), stat, errmsg)
  end subroutine
  subroutine halo_exchange_progress(this, stat, errmsg)
    class(weft_halo_exchange), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_halo_exchange_progress(this%handle), stat, errmsg)
  end subroutine
  subroutine halo_exchange_finish(this, queue, stat, errmsg)
    class(weft_halo_exchange), intent(in) :: this
    type(weft_queue), intent(in), optional :: queue
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_halo_exchange_finish_queue(this%handle, queue_or_none(queue)), stat, errmsg)
  end subroutine
  subroutine halo_exchange_rebind(this, field, array, stat, errmsg)
    class(weft_halo_exchange), intent(in) :: this
    integer, intent(in) :: field
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_rebind_field(0, this%handle, c(''), field, array, rank(array)), stat, errmsg)
  end subroutine
  subroutine halo_exchange_fail(this, why, stat, errmsg)
    class(weft_halo_exchange), intent(in) :: this
    character(*), intent(in) :: why
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_halo_exchange_fail(this%handle, c(why)), stat, errmsg)
  end subroutine
  subroutine halo_exchange_has_failed(this, failed, stat, errmsg)
    class(weft_halo_exchange), intent(in) :: this
    logical, intent(out) :: failed
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_halo_exchange_has_failed(this%handle, n), stat, errmsg)
    failed = n /= 0
  end subroutine

  ! ----------------------------------------------------------------------------------------------------------- graphs

  !> This rank owns some numbers, and wants copies of others. Fails on all ranks, and names the number, if nobody owns a
  !> wanted one, or if two own one.
  subroutine graph_create(this, comm, owned, wanted, stat, errmsg)
    class(weft_graph), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer(int64), intent(in) :: owned(:), wanted(:)
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 16, code, comm)) code = weft_graph_create(comm%handle, size(owned, kind=c_size_t), owned, &
      size(wanted, kind=c_size_t), wanted, this%handle)
    call check(code, stat, errmsg)
  end subroutine
  !> The graph of a sparse matrix, of which this rank has the rows of `owned`: row i has the columns, global numbers,
  !> columns(row_starts(i):row_starts(i + 1) - 1). Vectors have the values of `owned`, and behind them so many `copies`.
  !> local_columns(k): where a vector has the value of columns(k). rows(:interior): the rows all of whose columns are
  !> owned; rows(interior + 1:): the others.
  subroutine graph_create_matrix(this, comm, owned, row_starts, columns, local_columns, rows, interior, copies, stat, &
      errmsg)
    class(weft_graph), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer(int64), intent(in) :: owned(:), columns(:)
    integer, intent(in) :: row_starts(:)
    integer, allocatable, intent(out) :: local_columns(:), rows(:)
    integer, intent(out) :: interior, copies
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: starts(size(owned) + 1), inner, others
    integer(c_int) :: code
    allocate(local_columns(size(columns)), rows(size(owned)))
    inner = 0
    others = 0
    starts = 0
    starts(1) = 1  ! is refused, on all ranks
    if (size(row_starts) == size(starts)) then
      if (row_starts(size(starts)) == size(columns) + 1) starts = row_starts - 1
    end if
    if (is_new(this, 16, code, comm)) code = weft_graph_create_matrix(comm%handle, size(owned, kind=c_size_t), owned, &
      starts, columns, local_columns, rows, inner, others, this%handle)
    local_columns = local_columns + 1
    rows = rows + 1
    interior = int(inner)
    copies = int(others)
    call check(code, stat, errmsg)
  end subroutine
  !> How many ranks want numbers of this rank, and of how many ranks it wants some; each may include itself.
  subroutine graph_neighbours(this, readers, owners, stat, errmsg)
    class(weft_graph), intent(in) :: this
    integer, intent(out) :: readers, owners
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: n, m
    n = 0
    m = 0
    call check(weft_graph_neighbours(this%handle, n, m), stat, errmsg)
    readers = int(n)
    owners = int(m)
  end subroutine
  !> Adds the parts by which copies get the values of their owners: a send to each reader, a receive from each owner.
  !> The arrays have one dimension, or two, of which the first has the values of a number (components=weft_last: the
  !> second).
  subroutine graph_to_copies(this, list, key, owned, copies, sends, receives, components, type, round, stat, errmsg)
    class(weft_graph), intent(in) :: this
    type(weft_requests), intent(in) :: list
    integer, intent(in) :: key
    type(*), dimension(..), intent(inout), target :: owned, copies
    type(weft_part), allocatable, intent(out), optional :: sends(:), receives(:)
    integer, intent(in), optional :: components, type, round
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call graph_parts(this, list, 0, key, owned, copies, sends, receives, components, type, round, stat=stat, &
      errmsg=errmsg)
  end subroutine
  !> Adds those by which owners get the copies: a send to each owner, a receive from each reader. op=, in_any_order=: as
  !> of a receive. Without op= a copy replaces the owner's value, and only one rank may want a number.
  subroutine graph_to_owners(this, list, key, copies, owned, sends, receives, components, type, round, op, &
      in_any_order, stat, errmsg)
    class(weft_graph), intent(in) :: this
    type(weft_requests), intent(in) :: list
    integer, intent(in) :: key
    type(*), dimension(..), intent(inout), target :: owned, copies
    type(weft_part), allocatable, intent(out), optional :: sends(:), receives(:)
    integer, intent(in), optional :: components, type, round
    integer(c_intptr_t), intent(in), optional :: op
    logical, intent(in), optional :: in_any_order
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call graph_parts(this, list, 1, key, owned, copies, sends, receives, components, type, round, op, in_any_order, &
      stat, errmsg)
  end subroutine
  subroutine graph_parts(this, list, to_owners, key, owned, copies, sends, receives, components, type, round, op, &
      in_any_order, stat, errmsg)
    class(weft_graph), intent(in) :: this
    type(weft_requests), intent(in) :: list
    integer, intent(in) :: to_owners, key
    type(*), dimension(..), intent(inout), target :: owned, copies
    type(weft_part), allocatable, intent(out), optional :: sends(:), receives(:)
    integer, intent(in), optional :: components, type, round
    integer(c_intptr_t), intent(in), optional :: op
    logical, intent(in), optional :: in_any_order
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: readers, owners, n
    integer(c_int) :: code
    type(weft_part), allocatable :: parts(:)
    readers = 0
    owners = 0
    code = weft_graph_neighbours(this%handle, readers, owners)
    allocate(parts(readers + owners))
    n = merge(owners, readers, to_owners /= 0)
    if (code == weft_ok) code = weft_fortran_graph(this%handle, list%handle, to_owners, int(key, c_int64_t), owned, &
      rank(owned), copies, rank(copies), number(type, -1), number(components, weft_first), operation(op), &
      flag(in_any_order), number(round, 0), parts)
    if (present(sends)) sends = parts(:n)
    if (present(receives)) receives = parts(n + 1:)
    call check(code, stat, errmsg)
  end subroutine

  ! ------------------------------------------------------------------------------------------- collectives in a step

  subroutine monitors_create(this, comm, stat, errmsg)
    class(weft_monitors), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: code
    if (is_new(this, 11, code, comm)) code = weft_monitors_create(comm%handle, this%handle)
    call check(code, stat, errmsg)
  end subroutine
  !> `local` sets this rank's value; `use` gets the weft_sum, weft_min or weft_max of all, on every rank.
  subroutine monitors_add(this, name, op, local, use, context, stat, errmsg)
    class(weft_monitors), intent(in) :: this
    character(*), intent(in) :: name
    integer(c_intptr_t), intent(in) :: op
    procedure(weft_value_procedure) :: local
    procedure(weft_result_procedure) :: use
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    character(len(name) + 1), target :: text
    type(monitor) :: added
    type(callbacks), pointer :: to
    integer(c_int) :: code
    text = c(name)
    to => callbacks_of(this%handle, context, this)
    to%local => local
    to%use_value => use
    added%size = c_sizeof(added)
    added%context = c_loc(to)
    added%name = c_loc(text(1:1))
    added%combine = c_funloc(weft_fortran_sum)
    if (op == weft_min) added%combine = c_funloc(weft_fortran_minimum)
    if (op == weft_max) added%combine = c_funloc(weft_fortran_maximum)
    added%local = c_funloc(call_local)
    added%use = c_funloc(call_use_value)
    code = weft_monitors_add(this%handle, added)
    call keep(to, code)
    call check(code, stat, errmsg)
  end subroutine
  subroutine monitors_start(this, manager, name, way, algorithm, arity, every, offset, stat, errmsg)
    class(weft_monitors), intent(in) :: this
    type(weft_step_manager), intent(in) :: manager
    character(*), intent(in) :: name
    integer, intent(in), optional :: way, algorithm, arity
    integer(int64), intent(in), optional :: every, offset
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(monitors_options) :: options
    options%size = c_sizeof(options)
    options%way = number(way, weft_nonblocking)
    options%algorithm = number(algorithm, weft_any_algorithm)
    options%arity = number(arity, 0)
    options%every = number64(every, 0)
    options%offset = number64(offset, 0)
    call check(weft_monitors_start(this%handle, manager%handle, c(name), options), stat, errmsg)
  end subroutine
  subroutine monitors_stop(this, manager, stat, errmsg)
    class(weft_monitors), intent(in) :: this
    type(weft_step_manager), intent(in) :: manager
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_monitors_stop(this%handle, manager%handle), stat, errmsg)
  end subroutine
  subroutine monitors_read_now(this, step, stat, errmsg)
    class(weft_monitors), intent(in) :: this
    integer(int64), intent(in) :: step
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_monitors_read_now(this%handle, step), stat, errmsg)
  end subroutine
  subroutine monitors_idle_before(this, step, idle, stat, errmsg)
    class(weft_monitors), intent(in) :: this
    integer(int64), intent(in) :: step
    logical, intent(out) :: idle
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_monitors_idle_before(this%handle, step, n), stat, errmsg)
    idle = n /= 0
  end subroutine
  !> A collective (`kind`) by rounds of messages. `load` is called before `in` is read, `use` when `out` is complete.
  subroutine rounds_create(this, comm, kind, in, out, op, root, algorithm, arity, phased, every, offset, load, use, &
      context, stat, errmsg)
    class(weft_rounds), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(in) :: kind
    type(*), dimension(..), intent(inout), target, optional :: in, out
    integer(c_intptr_t), intent(in), optional :: op
    integer, intent(in), optional :: root, algorithm, arity
    logical, intent(in), optional :: phased
    integer(int64), intent(in), optional :: every, offset
    procedure(weft_procedure), optional :: load, use
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(rounds_options) :: options
    type(callbacks), pointer :: to
    integer(c_int) :: code
    integer :: in_rank, out_rank
    if (.not. is_new(this, 12, code, comm)) then
      call check(code, stat, errmsg)
      return
    end if
    to => callbacks_of(c_null_ptr, context, this)
    options%context = c_loc(to)
    if (present(load)) then
      to%first => load
      options%load = c_funloc(call_first)
    end if
    if (present(use)) then
      to%second => use
      options%use = c_funloc(call_second)
    end if
    options%kind = kind
    options%root = number(root, 0)
    options%algorithm = number(algorithm, weft_any_algorithm)
    options%arity = number(arity, 0)
    options%phased = flag(phased)
    options%every = number64(every, 0)
    options%offset = number64(offset, 0)
    if (present(op)) options%op = op
    in_rank = 0
    out_rank = 0
    if (present(in)) in_rank = rank(in)
    if (present(out)) out_rank = rank(out)
    code = weft_fortran_rounds_create(comm%handle, options, comm%ranks, in, in_rank, out, out_rank, this%handle)
    to%owner = this%handle
    call keep(to, code)
    call check(code, stat, errmsg)
  end subroutine
  subroutine rounds_count(this, count, stat, errmsg)
    class(weft_rounds), intent(in) :: this
    integer, intent(out) :: count
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_rounds_count(this%handle, n), stat, errmsg)
    count = n
  end subroutine
  subroutine rounds_add(this, manager, name, stat, errmsg)
    class(weft_rounds), intent(in) :: this
    type(weft_step_manager), intent(in) :: manager
    character(*), intent(in) :: name
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_rounds_add(this%handle, manager%handle, c(name)), stat, errmsg)
  end subroutine
  subroutine rounds_remove(this, manager, stat, errmsg)
    class(weft_rounds), intent(in) :: this
    type(weft_step_manager), intent(in) :: manager
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_rounds_remove(this%handle, manager%handle), stat, errmsg)
  end subroutine

  ! ---------------------------------------------------------------------------------------------------------- pipeline

  !> Computes, communicates and consumes `iterations` iterations of this rank: `tile` of them at a time, with `window`
  !> tiles in flight while the next one is computed. `client`: the track of the timeline. Collective.
  subroutine weft_run_pipeline(comm, iterations, compute, communicate, consume, tile, window, tiles, progress, &
      timeline, client, context, stat, errmsg)
    type(weft_comm), intent(in) :: comm
    integer(int64), intent(in) :: iterations
    procedure(weft_tile_procedure) :: compute
    procedure(weft_communicate_procedure) :: communicate
    procedure(weft_tile_procedure), optional :: consume
    integer, intent(in), optional :: tile, window, tiles
    type(weft_progress), intent(in), optional :: progress
    type(weft_timeline), intent(in), optional :: timeline
    character(*), intent(in), optional :: client
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(pipeline_options) :: options
    type(callbacks), pointer :: to
    character(:), allocatable, target :: track
    integer(c_int) :: code
    to => callbacks_of(comm%handle, context)
    to%compute => compute
    to%communicate => communicate
    options%size = c_sizeof(options)
    options%iterations = iterations
    options%tile = number(tile, 0)
    options%window = number(window, 1)
    options%tiles = number(tiles, 0)
    if (present(progress)) options%progress = progress%handle
    if (present(timeline)) options%timeline = timeline%handle
    if (present(client)) then
      track = c(client)
      options%client = c_loc(track(1:1))
    end if
    options%context = c_loc(to)
    options%compute = c_funloc(call_compute)
    options%communicate = c_funloc(call_communicate)
    if (present(consume)) then
      to%consume => consume
      options%consume = c_funloc(call_consume)
    end if
    code = weft_pipeline_run(comm%handle, options)
    deallocate(to)
    call check(code, stat, errmsg)
  end subroutine
  type(weft_tile) function tile_of(handle)
    type(c_ptr), intent(in) :: handle
    type(tile), pointer :: from
    call c_f_pointer(handle, from)
    tile_of%number = from%index + 1
    tile_of%first = from%first + 1
    tile_of%last = from%first + from%count
    tile_of%slot = int(from%slot) + 1
    tile_of%handle = handle
  end function
  subroutine tile_progress(this, stat, errmsg)
    class(weft_tile), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_tile_progress(this%handle), stat, errmsg)
  end subroutine
  !> A started exchange, for which weft waits.
  subroutine communication_is_exchange(this, exchange, stat, errmsg)
    class(weft_communication), intent(in) :: this
    type(weft_exchange), intent(in) :: exchange
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_started(this%handle, exchange%handle), stat, errmsg)
  end subroutine
  !> A request of MPI, an integer or a type(MPI_Request), which weft completes.
  subroutine communication_is_request(this, request, stat, errmsg)
    class(weft_communication), intent(in) :: this
    type(*), intent(in) :: request
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_started(this%handle, c_null_ptr, request), stat, errmsg)
  end subroutine

  ! ----------------------------------------------------------------------------------------------------------- mailbox

  subroutine mailbox_create(this, comm, bucket_bytes, buckets_per_peer, stat, errmsg)
    class(weft_mailbox), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    integer, intent(in), optional :: bucket_bytes, buckets_per_peer
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(mailbox_options), target :: options
    integer(c_int) :: code
    options%size = c_sizeof(options)
    options%bucket_bytes = number(bucket_bytes, 0)
    options%buckets_per_peer = number(buckets_per_peer, 0)
    if (is_new(this, 13, code, comm)) code = weft_mailbox_create(comm%handle, c_loc(options), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine mailbox_on(this, type, handler, context, stat, errmsg)
    class(weft_mailbox), intent(in) :: this
    integer, intent(in) :: type
    procedure(weft_handler_procedure) :: handler
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(callbacks), pointer :: to
    integer(c_int) :: code
    to => callbacks_of(this%handle, context, this)
    to%handle => handler
    code = weft_mailbox_on(this%handle, type, c_funloc(call_handle), c_loc(to))
    call keep(to, code)
    call check(code, stat, errmsg)
  end subroutine
  !> The array is copied.
  subroutine mailbox_post(this, rank_of_receiver, type, array, stat, errmsg)
    class(weft_mailbox), intent(in) :: this
    integer, intent(in) :: rank_of_receiver, type
    type(*), dimension(..), intent(inout), target :: array
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_fortran_post(this%handle, rank_of_receiver, type, array, rank(array)), stat, errmsg)
  end subroutine
  subroutine mailbox_poll(this, stat, errmsg)
    class(weft_mailbox), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_mailbox_poll(this%handle), stat, errmsg)
  end subroutine
  subroutine mailbox_drain(this, stat, errmsg)
    class(weft_mailbox), intent(in) :: this
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    call check(weft_mailbox_drain(this%handle), stat, errmsg)
  end subroutine
  subroutine mailbox_counts(this, posted, handled, stat, errmsg)
    class(weft_mailbox), intent(in) :: this
    integer(int64), intent(out) :: posted, handled
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    posted = 0
    handled = 0
    call check(weft_mailbox_counts(this%handle, posted, handled), stat, errmsg)
  end subroutine

  ! ------------------------------------------------------------------------------------------------ tuning and report

  subroutine tuning_create(this, comm, problem, candidates, again, warm_up, period, iterations, limit_seconds, &
      sample_seconds, file, stat, errmsg)
    class(weft_tuning), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    character(*), intent(in) :: problem
    character(*), intent(in), optional :: candidates(:), file
    logical, intent(in), optional :: again
    integer, intent(in), optional :: warm_up, period, iterations
    real(real64), intent(in), optional :: limit_seconds, sample_seconds
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(tuning_options) :: options
    character(:), allocatable, target :: texts, path
    type(c_ptr), allocatable, target :: pointers(:)
    integer(c_int) :: code
    options%size = c_sizeof(options)
    if (present(candidates)) then
      call to_c(candidates, texts, pointers)
      options%candidates = size(candidates)
      if (size(candidates) > 0) options%candidate = c_loc(pointers)
    end if
    options%again = flag(again)
    options%warm_up = number(warm_up, 0)
    options%period = number(period, 0)
    options%iterations = number(iterations, 0)
    if (present(limit_seconds)) options%limit_seconds = limit_seconds
    if (present(sample_seconds)) options%sample_seconds = sample_seconds
    if (present(file)) then
      path = c(file)
      options%file = c_loc(path(1:1))
    end if
    if (is_new(this, 14, code, comm)) code = weft_tuning_create(comm%handle, c(problem), options, this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine tuning_iterate(this, use, iteration, context, stat, errmsg)
    class(weft_tuning), intent(in) :: this
    procedure(weft_setting_procedure) :: use
    procedure(weft_procedure) :: iteration
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(callbacks), pointer :: to
    integer(c_int) :: code
    to => callbacks_of(this%handle, context, this)
    to%use_setting => use
    to%first => iteration
    code = weft_tuning_iterate(this%handle, c_funloc(call_use_setting), c_funloc(call_first), c_loc(to))
    deallocate(to)
    call check(code, stat, errmsg)
  end subroutine
  subroutine tuning_dry_run(this, use, iteration, context, stat, errmsg)
    class(weft_tuning), intent(in) :: this
    procedure(weft_setting_procedure) :: use
    procedure(weft_procedure) :: iteration
    class(*), intent(inout), target, optional :: context
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(callbacks), pointer :: to
    integer(c_int) :: code
    to => callbacks_of(this%handle, context, this)
    to%use_setting => use
    to%first => iteration
    code = weft_tuning_dry_run(this%handle, c_funloc(call_use_setting), c_funloc(call_first), c_loc(to))
    deallocate(to)
    call check(code, stat, errmsg)
  end subroutine
  subroutine tuning_settled(this, settled, stat, errmsg)
    class(weft_tuning), intent(in) :: this
    logical, intent(out) :: settled
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_int) :: n
    n = 0
    call check(weft_tuning_settled(this%handle, n), stat, errmsg)
    settled = n /= 0
  end subroutine
  subroutine tuning_text(this, text, stat, errmsg)
    class(weft_tuning), intent(in) :: this
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call check(weft_tuning_text(this%handle, pointer), stat, errmsg)
    text = text_of(pointer)
  end subroutine
  !> '' if the setting has no such name.
  subroutine setting_value(this, name, value, stat, errmsg)
    class(weft_setting), intent(in) :: this
    character(*), intent(in) :: name
    character(:), allocatable, intent(out) :: value
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call check(weft_setting_value(this%handle, c(name), pointer), stat, errmsg)
    value = text_of(pointer)
  end subroutine
  subroutine setting_number(this, name, otherwise, number, stat, errmsg)
    class(weft_setting), intent(in) :: this
    character(*), intent(in) :: name
    integer, intent(in) :: otherwise
    integer, intent(out) :: number
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    integer(c_size_t) :: n
    n = 0
    call check(weft_setting_number(this%handle, c(name), int(otherwise, c_size_t), n), stat, errmsg)
    number = int(n)
  end subroutine
  subroutine report_create(this, comm, manager, timeline, names, repeats, stat, errmsg)
    class(weft_overlap_report), intent(inout) :: this
    type(weft_comm), intent(in) :: comm
    type(weft_step_manager), intent(in) :: manager
    type(weft_timeline), intent(in) :: timeline
    character(*), intent(in), optional :: names(:)
    integer, intent(in), optional :: repeats
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    character(:), allocatable, target :: texts
    type(c_ptr), allocatable :: pointers(:)
    integer(c_int) :: code
    allocate(pointers(0))
    if (present(names)) call to_c(names, texts, pointers)
    if (is_new(this, 15, code, comm)) code = weft_overlap_report_create(comm%handle, manager%handle, timeline%handle, &
      size(pointers), pointers, number(repeats, 0), this%handle)
    call check(code, stat, errmsg)
  end subroutine
  subroutine report_fraction(this, fraction, stat, errmsg)
    class(weft_overlap_report), intent(in) :: this
    real(real64), intent(out) :: fraction
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    fraction = 0
    call check(weft_overlap_report_fraction(this%handle, fraction), stat, errmsg)
  end subroutine
  subroutine report_text(this, text, stat, errmsg)
    class(weft_overlap_report), intent(in) :: this
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call check(weft_overlap_report_text(this%handle, pointer), stat, errmsg)
    text = text_of(pointer)
  end subroutine
  subroutine report_json(this, text, stat, errmsg)
    class(weft_overlap_report), intent(in) :: this
    character(:), allocatable, intent(out) :: text
    integer, intent(out), optional :: stat; character(*), intent(inout), optional :: errmsg
    type(c_ptr) :: pointer
    pointer = c_null_ptr
    call check(weft_overlap_report_json(this%handle, pointer), stat, errmsg)
    text = text_of(pointer)
  end subroutine

  ! -------------------------------------------------------------------------------------------------------- callbacks

  function callbacks_of(owner, context, from) result(to)
    type(c_ptr), intent(in) :: owner
    class(*), intent(inout), target, optional :: context
    class(weft_object), intent(in), optional :: from
    type(callbacks), pointer :: to
    allocate(to)
    to%owner = owner
    to%context => no_context
    if (present(context)) to%context => context
    if (present(from)) to%rank = from%rank
    if (present(from)) to%ranks = from%ranks
  end function
  !> Keeps the record until its owner is freed, unless the call that got it has failed.
  subroutine keep(to, code)
    type(callbacks), pointer, intent(inout) :: to
    integer(c_int), intent(inout) :: code
    if (code == weft_ok) then
      code = weft_fortran_keep(to%owner, c_loc(to))
    else
      deallocate(to)
    end if
  end subroutine

  integer(c_int) function call_request(context, list) bind(c, name='') result(code)
    type(c_ptr), value :: context, list
    type(callbacks), pointer :: to
    type(weft_requests) :: requests
    integer(c_int) :: before
    call c_f_pointer(context, to)
    requests%handle = list
    requests%owner = to%owner
    requests%rank = to%rank
    requests%ranks = to%ranks
    code = weft_ok
    before = weft_fortran_raised(0)
    if (associated(to%request)) call to%request(to%context, requests)
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_before(context, step) bind(c, name='') result(code)
    type(c_ptr), value :: context, step
    type(callbacks), pointer :: to
    call c_f_pointer(context, to)
    code = call_in_step(to%before, to, step)
  end function
  integer(c_int) function call_during(context, step) bind(c, name='') result(code)
    type(c_ptr), value :: context, step
    type(callbacks), pointer :: to
    call c_f_pointer(context, to)
    code = call_in_step(to%during, to, step)
  end function
  integer(c_int) function call_after(context, step) bind(c, name='') result(code)
    type(c_ptr), value :: context, step
    type(callbacks), pointer :: to
    call c_f_pointer(context, to)
    code = call_in_step(to%after, to, step)
  end function
  integer(c_int) function call_finish(context, step) bind(c, name='') result(code)
    type(c_ptr), value :: context, step
    type(callbacks), pointer :: to
    call c_f_pointer(context, to)
    code = call_in_step(to%finish, to, step)
  end function
  integer(c_int) function call_in_step(procedure, to, handle) result(code)
    procedure(weft_step_procedure) :: procedure
    type(callbacks), intent(in) :: to
    type(c_ptr), intent(in) :: handle
    type(weft_step) :: step
    integer(c_int) :: before
    step%handle = handle
    before = weft_fortran_raised(0)
    call procedure(to%context, step)
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_first(context) bind(c, name='') result(code)
    type(c_ptr), value :: context
    type(callbacks), pointer :: to
    integer(c_int) :: before
    call c_f_pointer(context, to)
    before = weft_fortran_raised(0)
    call to%first(to%context)
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_second(context) bind(c, name='') result(code)
    type(c_ptr), value :: context
    type(callbacks), pointer :: to
    integer(c_int) :: before
    call c_f_pointer(context, to)
    before = weft_fortran_raised(0)
    call to%second(to%context)
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_local(context, value) bind(c, name='') result(code)
    type(c_ptr), value :: context
    real(c_double), intent(inout) :: value
    type(callbacks), pointer :: to
    integer(c_int) :: before
    call c_f_pointer(context, to)
    before = weft_fortran_raised(0)
    call to%local(to%context, value)
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_use_value(context, value, step) bind(c, name='') result(code)
    type(c_ptr), value :: context
    real(c_double), intent(in) :: value
    integer(c_int64_t), value :: step
    type(callbacks), pointer :: to
    integer(c_int) :: before
    call c_f_pointer(context, to)
    before = weft_fortran_raised(0)
    call to%use_value(to%context, value, step)
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_handle(context, from, data, bytes) bind(c, name='') result(code)
    type(c_ptr), value :: context
    integer(c_int), value :: from
    type(c_ptr), value :: data
    integer(c_size_t), value :: bytes
    type(callbacks), pointer :: to
    integer(c_int) :: before
    integer(int8), pointer :: message(:)
    call c_f_pointer(context, to)
    call c_f_pointer(data, message, [bytes])
    before = weft_fortran_raised(0)
    call to%handle(to%context, from, message)
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_use_setting(context, handle) bind(c, name='') result(code)
    type(c_ptr), value :: context
    type(c_ptr), value :: handle
    type(callbacks), pointer :: to
    integer(c_int) :: before
    type(weft_setting) :: setting
    call c_f_pointer(context, to)
    setting%handle = handle
    before = weft_fortran_raised(0)
    call to%use_setting(to%context, setting)
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_compute(context, tile) bind(c, name='') result(code)
    type(c_ptr), value :: context
    type(c_ptr), value :: tile
    type(callbacks), pointer :: to
    integer(c_int) :: before
    call c_f_pointer(context, to)
    before = weft_fortran_raised(0)
    call to%compute(to%context, tile_of(tile))
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_consume(context, tile) bind(c, name='') result(code)
    type(c_ptr), value :: context
    type(c_ptr), value :: tile
    type(callbacks), pointer :: to
    integer(c_int) :: before
    call c_f_pointer(context, to)
    before = weft_fortran_raised(0)
    call to%consume(to%context, tile_of(tile))
    code = weft_fortran_raised(before)
  end function
  integer(c_int) function call_communicate(context, tile, handle) bind(c, name='') result(code)
    type(c_ptr), value :: context
    type(c_ptr), value :: tile, handle
    type(callbacks), pointer :: to
    integer(c_int) :: before
    type(weft_communication) :: started
    call c_f_pointer(context, to)
    started%handle = handle
    before = weft_fortran_raised(0)
    call to%communicate(to%context, tile_of(tile), started)
    code = weft_fortran_raised(before)
  end function
end module
