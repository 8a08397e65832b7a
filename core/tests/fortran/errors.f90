! SPDX-License-Identifier: BSD-3-Clause
! What is used wrongly gives a code and one sentence; callbacks fail with theirs.
module failing
  use weft
  implicit none
  integer :: job_rank = 0, job_ranks = 0
  logical :: has_written = .false.
contains
  subroutine request(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    select type (context)
    type is (integer)
      call list%broadcast(0, context)
    end select
  end subroutine
  subroutine raise(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    select type (context)
    type is (integer)
      if (context == 1) call weft_raise('The pressure is negative.')
    end select
    if (.false.) call step%progress()
  end subroutine
  subroutine nothing(context)
    class(*), intent(inout), target :: context
    select type (context)
    type is (integer)
      context = 2
    end select
  end subroutine
  !> Of this program, since another one may run at the same time.
  function mark() result(file)
    character(1000) :: file, program
    call get_command_argument(0, program)
    file = trim(program)//'.warned'//achar(iachar('0') + job_ranks)  ! jobs of several sizes may run at once
  end function
  subroutine warned(text)
    character(*), intent(in) :: text
    integer :: unit
    if (job_rank /= 1 .or. has_written) return
    has_written = .true.
    open (newunit=unit, file=mark())
    write (unit, '(a)') text
    close (unit)
  end subroutine
end module

program errors
  use failing
  use testing
  use, intrinsic :: iso_fortran_env
  implicit none
  call weft_init()
  call arrays()
  call objects()
  call callbacks()
  call types()
  call warnings()
  call finish()
  call weft_end(1.0_real64)
  call weft_finalize()
contains
  subroutine arrays()
    real(real64), target :: u(4, 4), v(3), w(0:3)
    real(real64), pointer :: nowhere(:)
    type(weft_comm) :: comm
    type(weft_exchange) :: exchange
    type(weft_requests) :: list
    type(weft_grid) :: grid
    type(weft_halo) :: halo
    integer :: stat
    character(200) :: text
    nowhere => null()
    call comm%create()
    call exchange%create(comm)
    call exchange%client('arrays', list)
    call list%send(0, 1, u, first=[1, 1], last=[5, 1], stat=stat, errmsg=text)
    call expect(stat == weft_err, 'the code of a box outside of the array')
    call expect_text(text, 'first= and last= select 1:5 in dimension 1, but the array has 1:4')
    call list%send(0, 1, u, first=[1], last=[2], stat=stat, errmsg=text)
    call expect_text(text, 'has 1 numbers, but the array has rank 2')
    call list%send(0, 1, u, first=[1], last=[1, 2], stat=stat, errmsg=text)
    call expect_text(text, 'differ in size')
    call list%send(0, 1, w, index=[0], stat=stat, errmsg=text)
    call expect_text(text, 'index(1) is 0, but the array has the elements 1 to 4')
    call list%send(0, 1, w, index=[0], lower=[0])
    call list%send(0, 2, u(4:1:-1, 1), stat=stat, errmsg=text)
    call expect_text(text, 'runs backwards')
    call list%send(0, 2, nowhere, stat=stat, errmsg=text)
    call expect(stat == weft_err, 'an array that is nowhere')
    call list%send(0, 2, u, type=weft_real32, stat=stat, errmsg=text)
    call expect_text(text, 'has elements of 8 bytes, but its type= has 4')
    call assumed_size(u, list)
    call list%all_reduce(u(1, :), w, weft_sum, stat=stat, errmsg=text)
    call expect_text(text, 'is not contiguous')
    call list%all_reduce(v, w, weft_sum, stat=stat, errmsg=text)
    call expect_text(text, 'have 3 and 4 elements')
    call list%all_gather(v, w, [1, 2, 3, 4, 5, 6, 7, 8, 9], stat=stat, errmsg=text)
    call expect_text(text, 'one number for each rank')
    call grid%create(comm, [40, 40])
    call halo%create(grid)
    call halo%add(u, name='heat', stat=stat, errmsg=text)
    call expect_text(text, "The field 'heat' has 4 x 4 elements")
    call exchange%free()
  end subroutine
  subroutine assumed_size(u, list)
    real(real64), intent(inout), target :: u(*)
    type(weft_requests), intent(in) :: list
    integer :: stat
    character(100) :: text
    call list%send(0, 2, u, stat=stat, errmsg=text)
    call expect_text(text, 'assumed-size')
  end subroutine

  subroutine objects()
    type(weft_comm) :: comm
    type(weft_exchange) :: exchange, other
    type(weft_timeline) :: timeline
    type(weft_requests) :: list
    integer :: stat
    character(100) :: text
    character(5) :: short
    call exchange%commit(stat, text)
    call expect(stat == weft_err_handle .and. text /= '', 'an object that does not exist')
    call comm%create()
    call exchange%create(comm)
    call exchange%create(comm, stat=stat, errmsg=text)
    call expect_text(text, 'exists already')
    call exchange%move_to(other)
    call expect(other%exists() .and. .not. exchange%exists(), 'a moved object')
    call other%move_to(timeline, stat, short)
    call expect(stat == weft_err .and. short == 'An ob', 'another type; a short text')
    call other%client('late', list)
    call other%commit()
    call other%free()
    call other%free()
    call list%barrier(stat=stat, errmsg=text)
    call expect(stat == weft_err_handle, 'a list of a freed exchange')
    call expect_text(weft_error_message(), trim(text))
    call expect(weft_version() == weft_build_info('version') .and. len(weft_version()) >= 5, 'the version')
  end subroutine

  subroutine callbacks()
    type(weft_comm) :: comm
    type(weft_step_manager) :: manager
    type(weft_exchange) :: meeting
    type(weft_requests) :: list
    integer, target :: value
    integer :: stat
    character(200) :: text
    logical :: failed
    call comm%create()
    call manager%create(comm)
    value = 0
    call manager%add('pressure', request, before=raise, context=value)
    call manager%run_step(stat=stat, errmsg=text)
    call expect(stat == weft_ok, 'a step without error')
    call meeting%create(comm)  ! a rank may learn of the next step's failure while it is in this one
    call meeting%client('meeting', list)
    call list%barrier()
    call meeting%commit()
    call meeting%start()
    call meeting%ready_all(list)
    call meeting%wait()
    value = 1
    call manager%run_step(stat=stat, errmsg=text)
    call expect(stat /= weft_ok, 'a step whose callback fails')
    call expect_text(text, 'The pressure is negative.')
    call manager%has_failed(failed)
    call expect(failed, 'the manager has failed')
  end subroutine

  ! Rank 0 sends only when another one has warned that it waits.
  subroutine warnings()
    type(weft_comm) :: comm
    type(weft_exchange) :: exchange
    type(weft_requests) :: list
    integer, target :: x, y
    integer :: rank, ranks, unit, stat
    logical :: has_warned
    character(1000) :: text
    call comm%create()
    call comm%get_rank(rank, ranks)
    if (ranks == 1) return
    x = rank
    job_rank = rank
    job_ranks = ranks
    call weft_set_warning_handler(warned)
    call exchange%create(comm, watchdog_seconds=0.05_real64)
    call exchange%client('late', list)
    call list%send(modulo(rank + 1, ranks), 1, x)
    call list%receive(modulo(rank - 1, ranks), 1, y)
    call exchange%commit()
    call exchange%start()
    has_warned = rank /= 0
    do while (.not. has_warned)
      inquire (file=mark(), exist=has_warned)
      if (.not. has_warned) cycle
      open (newunit=unit, file=mark())
      read (unit, '(a)', iostat=stat) text
      has_warned = stat == 0  ! otherwise it is being written
      if (has_warned) close (unit, status='delete')
      if (.not. has_warned) close (unit)
    end do
    call exchange%ready_all(list)
    call exchange%wait()
    call weft_set_warning_handler()
    if (rank == 0) call expect_text(text, 'has waited')
  end subroutine

  ! The types of elements are found in the descriptors: the two ends must agree.
  subroutine types()
    type(weft_comm) :: comm
    real(real64), target :: x
    integer(int64), target :: n
    integer :: stat, rank
    character(400) :: text
    type(weft_exchange) :: exchange
    type(weft_requests) :: list
    call comm%create()
    call comm%get_rank(rank)
    call exchange%create(comm)
    call exchange%client('types', list)
    call list%send(rank, 1, x)
    call list%receive(rank, 1, n)
    call exchange%commit(stat, text)
    call expect(stat == weft_err_everywhere, 'different types')
    call expect_text(text, 'types')
    call exchange%free()
    call exchange%create(comm)
    call exchange%client('types', list)
    call list%send(rank, 1, x, type=weft_untyped)
    call list%receive(rank, 1, n)
    call exchange%commit()
  end subroutine
end program
