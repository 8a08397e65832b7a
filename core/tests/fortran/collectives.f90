! SPDX-License-Identifier: BSD-3-Clause
! Monitors, collectives by rounds, a pipeline, the mailbox and tuning.
module parts
  use weft
  use testing
  use, intrinsic :: iso_fortran_env
  implicit none
  type :: counter
    integer :: rank = 0, ranks = 1, uses = 0, iterations = 0, received = 0
    real(real64) :: last = 0
  end type
  type :: loop
    integer :: computed = 0, consumed = 0, left = 0, rank = 0
    integer :: sent(4, 3) = 0, got(4, 3) = 0  ! of three buffers
    type(weft_exchange) :: exchanges(3)
    type(weft_requests) :: lists(3)
  end type
contains
  subroutine compute(context, tile)
    class(*), intent(inout), target :: context
    type(weft_tile), intent(in) :: tile
    integer :: i
    select type (context)
    type is (loop)
      do i = int(tile%first), int(tile%last)
        context%sent(i - int(tile%first) + 1, tile%slot) = i + 100*context%rank
        context%computed = context%computed + 1
      end do
    end select
    call tile%progress()
  end subroutine
  subroutine communicate(context, tile, started)
    class(*), intent(inout), target :: context
    type(weft_tile), intent(in) :: tile
    type(weft_communication), intent(in) :: started
    select type (context)
    type is (loop)
      call context%exchanges(tile%slot)%start()
      call context%exchanges(tile%slot)%ready_all(context%lists(tile%slot))
      call started%is_exchange(context%exchanges(tile%slot))
    end select
  end subroutine
  subroutine consume(context, tile)
    class(*), intent(inout), target :: context
    type(weft_tile), intent(in) :: tile
    integer :: i
    select type (context)
    type is (loop)
      do i = int(tile%first), int(tile%last)
        context%consumed = context%consumed + 1
        call expect(context%got(i - int(tile%first) + 1, tile%slot) == i + 100*context%left, 'an iteration of a tile')
      end do
    end select
  end subroutine

  subroutine local(context, value)
    class(*), intent(inout), target :: context
    real(real64), intent(out) :: value
    value = 0
    select type (context)
    type is (counter)
      value = context%rank + 1
    end select
  end subroutine
  subroutine use_value(context, value, step)
    class(*), intent(inout), target :: context
    real(real64), intent(in) :: value
    integer(int64), intent(in) :: step
    select type (context)
    type is (counter)
      context%uses = context%uses + 1
      context%last = value
      call expect(step >= 0, 'the step')
    end select
  end subroutine
  subroutine receive(context, from, message)
    class(*), intent(inout), target :: context
    integer, intent(in) :: from
    integer(int8), intent(in), target :: message(:)
    integer :: numbers(2)
    numbers = transfer(message, numbers)
    select type (context)
    type is (counter)
      context%received = context%received + 1
      call expect(all(numbers == [from, context%rank]), 'a message')
    end select
  end subroutine
  subroutine set(context, setting)
    class(*), intent(inout), target :: context
    type(weft_setting), intent(in) :: setting
    integer :: n
    character(:), allocatable :: text
    call setting%number('n', 1, n)
    call setting%value('n', text)
    select type (context)
    type is (counter)
      call expect(n == 1 .or. n == 2, 'a setting')
    end select
  end subroutine
  subroutine iterate(context)
    class(*), intent(inout), target :: context
    select type (context)
    type is (counter)
      context%iterations = context%iterations + 1
    end select
  end subroutine
end module

program collectives
  use parts
  implicit none
  call weft_init()
  call monitors()
  call rounds()
  call pipeline()
  call mailbox()
  call tuning()
  call finish()
  call weft_finalize()
contains
  subroutine monitors()
    type(counter), target :: sum, least, greatest
    type(weft_comm) :: comm
    type(weft_step_manager) :: manager
    type(weft_monitors) :: diagnostics
    integer :: n
    logical :: idle
    call comm%create()
    call comm%get_rank(sum%rank, sum%ranks)
    least%rank = sum%rank
    greatest%rank = sum%rank
    call manager%create(comm)
    call diagnostics%create(comm)
    call diagnostics%add('sum', weft_sum, local, use_value, sum)
    call diagnostics%add('least', weft_min, local, use_value, least)
    call diagnostics%add('greatest', weft_max, local, use_value, greatest)
    call diagnostics%start(manager, 'diagnostics')
    do n = 1, 3
      call manager%run_step()
    end do
    call diagnostics%read_now(3_int64)
    call diagnostics%idle_before(4_int64, idle)
    call expect(sum%uses >= 2, 'monitors were used')
    call expect(nint(sum%last) == sum%ranks*(sum%ranks + 1)/2, 'the sum')
    call expect(nint(least%last) == 1 .and. nint(greatest%last) == sum%ranks, 'the smallest and the largest')
    call diagnostics%stop(manager)
  end subroutine
  subroutine rounds()
    type(counter), target :: counts
    type(weft_comm) :: comm
    type(weft_step_manager) :: manager
    type(weft_rounds) :: sums, all_of
    real(real64), target :: x(3), total(3), one
    real(real64), allocatable, target :: all_ones(:)
    integer :: n
    call comm%create()
    call comm%get_rank(counts%rank, counts%ranks)
    allocate(all_ones(counts%ranks))
    call manager%create(comm)
    call sums%create(comm, weft_collective_all_reduce, in=x, out=total, op=weft_sum, use=iterate, context=counts)
    call sums%count(n)
    call expect(n >= 0, 'rounds')
    call sums%add(manager, 'sums')
    call all_of%create(comm, weft_collective_all_gather, in=one, out=all_ones)
    call all_of%add(manager, 'all')
    x = counts%rank
    one = counts%rank
    call manager%run_step()
    call expect(counts%iterations == 1 .and. all(nint(total) == counts%ranks*(counts%ranks - 1)/2), 'a sum by rounds')
    call expect(all(nint(all_ones) == [(n, n=0, counts%ranks - 1)]), 'gathered by rounds')
    call sums%remove(manager)
    call all_of%remove(manager)
  end subroutine
  subroutine pipeline()
    type(loop), target :: data
    type(weft_comm) :: comm
    integer :: slot, size
    call comm%create()
    call comm%get_rank(data%rank, size)
    data%left = modulo(data%rank - 1, size)
    do slot = 1, 3
      call data%exchanges(slot)%create(comm)
      call data%exchanges(slot)%client('loop', data%lists(slot))
      call data%lists(slot)%send(modulo(data%rank + 1, size), 1, data%sent(:, slot))
      call data%lists(slot)%receive(data%left, 1, data%got(:, slot))
      call data%exchanges(slot)%commit()
    end do
    call weft_run_pipeline(comm, 18_int64, compute, communicate, consume, tile=4, window=2, context=data)
    call expect(data%computed == 18 .and. data%consumed == 18, 'all iterations')
    do slot = 1, 3
      call data%exchanges(slot)%free()
    end do
  end subroutine
  subroutine mailbox()
    type(counter), target :: counts
    type(weft_comm) :: comm
    type(weft_mailbox) :: box
    integer :: to
    integer(int64) :: posted, handled
    integer, target :: numbers(2)
    call comm%create()
    call comm%get_rank(counts%rank, counts%ranks)
    call box%create(comm)
    call box%on(1, receive, counts)
    do to = 0, counts%ranks - 1
      numbers = [counts%rank, to]
      call box%post(to, 1, numbers)
      call box%poll()
    end do
    call box%drain()
    call box%counts(posted, handled)
    call expect(posted == counts%ranks .and. handled == counts%ranks .and. counts%received == counts%ranks, 'messages')
  end subroutine
  subroutine tuning()
    type(counter), target :: counts
    type(weft_comm) :: comm
    type(weft_tuning) :: tuner
    character(:), allocatable :: text
    logical :: settled
    integer :: n
    call comm%create()
    call tuner%create(comm, 'a test', ['n=1', 'n=2'], again=.true., limit_seconds=1.0_real64, &
      sample_seconds=1e-4_real64, file='tuning_of_fortran_test.toml')
    do n = 1, 5
      call tuner%iterate(set, iterate, counts)
    end do
    call expect(counts%iterations == 5, 'iterations')
    call tuner%dry_run(set, iterate, counts)
    call tuner%settled(settled)
    call tuner%text(text)
    call expect(settled .and. len(text) > 5, 'a choice')
  end subroutine
end program
