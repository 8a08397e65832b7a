! SPDX-License-Identifier: BSD-3-Clause
! Two clients of a step manager that share messages, one with a reduction; and a halo as a third one.
module clients
  use weft
  use testing
  use, intrinsic :: iso_fortran_env
  implicit none
  type ring
    integer :: rank = 0, ranks = 1, from_left = -1, calls = 0
    type(weft_part) :: part
    integer :: value = 0
  end type
  type totals
    integer :: ranks = 1, calls = 0
    real(real64) :: mine = 0, sum = 0
  end type
  type field
    real(real64), allocatable :: u(:, :)
    integer :: first(3), last(3)
  end type
contains
  subroutine ring_request(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    select type (context)
    type is (ring)
      call list%send(modulo(context%rank + 1, context%ranks), 1, context%value, context%part)
      call list%receive(modulo(context%rank - 1, context%ranks), 1, context%from_left)
    end select
  end subroutine
  subroutine ring_before(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer(int64) :: n
    integer :: round
    call step%number(n, round)
    select type (context)
    type is (ring)
      context%value = context%rank + 10*int(n)
      call step%ready(context%part)
      call expect(round == 0, 'the round')
    end select
  end subroutine
  subroutine ring_during(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    call step%progress()
    select type (context)
    type is (ring)
      context%calls = context%calls + 1
    end select
  end subroutine
  subroutine ring_after(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer(int64) :: n
    call step%number(n)
    select type (context)
    type is (ring)
      call expect(context%from_left == modulo(context%rank - 1, context%ranks) + 10*int(n), 'a value of the left rank')
    end select
  end subroutine

  subroutine totals_request(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    select type (context)
    type is (totals)
      call list%all_reduce(context%mine, context%sum, weft_sum)
    end select
  end subroutine
  subroutine totals_before(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer(int64) :: n
    call step%number(n)
    select type (context)
    type is (totals)
      context%mine = n
    end select
  end subroutine
  subroutine totals_finish(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer(int64) :: n
    call step%number(n)
    select type (context)
    type is (totals)
      context%calls = context%calls + 1
      call expect(nint(context%sum) == context%ranks*int(n), 'the sum of all ranks')
    end select
  end subroutine

  subroutine field_before(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer :: i, j
    integer(int64) :: n
    call step%number(n)
    select type (context)
    type is (field)
      do j = context%first(2), context%last(2)
        do i = context%first(1), context%last(1)
          context%u(i, j) = i + 100*j + 10000*n
        end do
      end do
    end select
  end subroutine
  subroutine field_after(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer :: i
    integer(int64) :: n
    call step%number(n)
    select type (context)
    type is (field)
      i = context%first(1) - 1
      if (i >= 1) call expect(nint(context%u(i, context%first(2))) == i + 100*context%first(2) + 10000*n, &
        'a ghost point')
    end select
  end subroutine
end module

program steps
  use clients
  implicit none
  call weft_init()
  call run()
  call finish()
  call weft_finalize()
contains
  subroutine run()
    type(ring), target :: a
    type(totals), target :: b
    type(field), target :: f
    type(weft_comm) :: comm
    type(weft_timeline) :: timeline
    type(weft_step_manager) :: manager
    type(weft_grid) :: grid
    type(weft_halo) :: halo
    type(weft_overlap_report) :: report
    integer(int64) :: step, count, messages
    integer :: n
    real(real64) :: seconds, fraction
    character(:), allocatable :: text
    logical :: failed
    call comm%create()
    call comm%get_rank(a%rank, a%ranks)
    b%ranks = a%ranks
    call timeline%create(keep_spans=.true.)
    call manager%create(comm, progress=weft_polling, timeline=timeline)
    call manager%add('ring', ring_request, before=ring_before, during=ring_during, after=ring_after, context=a)
    call manager%add('totals', totals_request, before=totals_before, finish=totals_finish, every=2_int64, context=b)
    call grid%create(comm, [8, 6])
    call grid%block(f%first, f%last)
    allocate(f%u(f%first(1) - 1:f%last(1) + 1, f%first(2) - 1:f%last(2) + 1))
    call halo%create(grid)
    call halo%add(f%u, name='u')
    call manager%add_halo('field', halo, before=field_before, after=field_after, context=f)
    do n = 1, 6
      call manager%run_step()
    end do
    call manager%step(step)
    call expect(step == 6 .and. a%calls == 6 .and. b%calls == 3, 'six steps')
    call manager%counts(steps=count, messages=messages)
    call expect(count == 6 .and. messages >= 0, 'the counts')
    call manager%measure_alone(2, seconds)
    call expect(seconds >= 0, 'the communication alone')
    call report%create(comm, manager, timeline, ['ring  ', 'totals'], 2)
    call report%fraction(fraction)
    call report%text(text)
    call expect(fraction >= 0 .and. fraction <= 1 .and. len(text) > 10, 'a report')
    call manager%reset_counts()
    call manager%activate('totals', .false.)
    call manager%use(grouping=weft_per_part, separate=.true.)
    call manager%start_at(10_int64)
    call manager%run_step()
    call expect(a%calls == 7 .and. b%calls == 3, 'a step without the client totals')
    call manager%changed('ring')
    call manager%remove('totals')
    call manager%run_step()
    call manager%describe(text)
    call expect_text(text, 'ring')
    call manager%has_failed(failed)
    call expect(.not. failed, 'no failure')
  end subroutine
end program
