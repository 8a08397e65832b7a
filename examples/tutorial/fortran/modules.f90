! SPDX-License-Identifier: BSD-3-Clause
!
! Stages 5 and 6: heat, moisture, and a reduction for the largest change of each, as three clients of a step manager. It
! prints the overlap.

!> A quantity that spreads, as a client.
module spreadings
  use settings
  use tubes
  use weft
  implicit none
  ! [module]
  type :: spreading
    type(tube) :: tube
    real(real64) :: change = 0, next_change = 0  ! of my rows: in the previous step, in this one
  end type
contains
  subroutine list_rows(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    select type (context)
    type is (spreading)
      call list%send(up, 1, context%tube%top)
      call list%send(down, 2, context%tube%bottom)
      call list%receive(down, 1, context%tube%below)
      call list%receive(up, 2, context%tube%above)
    end select
  end subroutine
  subroutine copy_rows(context, step)  ! when it returns, my parts are ready
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    select type (context)
    type is (spreading)
      call context%tube%copy_edges()
    end select
  end subroutine
  subroutine compute_inner(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer :: i
    select type (context)
    type is (spreading)
      context%next_change = 0
      do i = 2, context%tube%rows - 1
        call context%tube%update(i, i, context%next_change)
        call step%progress()
      end do
    end select
  end subroutine
  subroutine compute_outer(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    select type (context)
    type is (spreading)
      call context%tube%update(1, 1, context%next_change)
      call context%tube%update(context%tube%rows, context%tube%rows, context%next_change)
      call context%tube%finish_step()
      context%change = context%next_change
    end select
  end subroutine
  ! [module end]
end module

module all_spreadings
  use spreadings
  implicit none
  type(spreading), target :: heat, moisture
  real(real64), target :: mine(2) = 0, all(2) = 0
contains
  ! [watch]
  subroutine list_changes(context, list)
    class(*), intent(inout), target :: context
    type(weft_requests), intent(in) :: list
    call list%all_reduce(mine, all, weft_max)
  end subroutine
  subroutine collect_changes(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    mine = [heat%change, moisture%change]
  end subroutine
  subroutine print_changes(context, step)
    class(*), intent(inout), target :: context
    type(weft_step), intent(in) :: step
    integer(int64) :: number
    call step%number(number)
    if (rank == 0 .and. number > 0 .and. mod(number, 100_int64) == 0) call print_change(int(number), all(1))
  end subroutine
  ! [watch end]
end module

program modules
  use all_spreadings
  use progress_kinds
  implicit none
  type(weft_comm) :: comm
  type(weft_timeline) :: timeline
  type(weft_step_manager) :: manager
  type(weft_overlap_report) :: report
  character(:), allocatable :: text
  real(real64) :: begin
  integer :: step
  call start()
  ! [manager]
  call heat%tube%create(rows, columns, rank, ranks, 0.2_real64)
  call moisture%tube%create(rows, columns, rank, ranks, 0.1_real64)

  call comm%create(MPI_COMM_WORLD)
  call timeline%create(keep_spans=trace /= '')
  call manager%create(comm, separate=clients == 'separate', progress=progress_kind(), timeline=timeline)
  ! With separate=.true. the clients run one after the other, in this order. `largest` comes first, so that it reads the
  ! changes of the previous step in both cases.
  call manager%add('largest', list_changes, before=collect_changes, after=print_changes)
  call manager%add('heat', list_rows, copy_rows, compute_inner, compute_outer, context=heat)
  call manager%add('moisture', list_rows, copy_rows, compute_inner, compute_outer, context=moisture)
  ! [manager end]

  begin = weft_seconds()
  do step = 1, steps
    call manager%run_step()
  end do
  begin = weft_seconds() - begin

  mine(1) = heat%change
  call MPI_Allreduce(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0 .and. mod(steps, 100) == 0) call print_change(steps, all(1))
  call print_end('heat', heat%tube%fingerprint())
  call print_end('moisture', moisture%tube%fingerprint())
  call print_time(begin)
  ! [table]
  call report%create(comm, manager, timeline, [character(8) :: 'heat', 'moisture', 'largest'], 20)
  if (trace /= '') call timeline%write_trace(comm, trace)
  call report%text(text)
  if (rank == 0) print '(a)', text(:len(text) - 1)
  ! [table end]
  call report%free()
  call manager%free()
  call timeline%free()
  call comm%free()
  call MPI_Finalize()
end program
