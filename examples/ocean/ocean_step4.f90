! SPDX-License-Identifier: BSD-3-Clause
!
! Step 4: the reductions are part of the exchange, one step late. The program waits once.
module ocean_step
  use ocean_diagnostics
  use ocean_parts
  implicit none
  type(weft_comm) :: comm
  type(weft_exchange) :: halo
  type(weft_requests) :: list
  real(real64), pointer :: surface(:, :, :), flow(:, :, :), all_tracers(:, :, :)
  integer :: last
contains
  subroutine start_communication()
    surface(0:n + 1, 0:m + 1, 1:1) => eta
    flow(0:n + 1, 0:m + 1, 1:2) => velocity
    all_tracers(-1:n + 2, -1:m + 2, 1:2 * levels) => tracers
    call comm%create(MPI_COMM_WORLD)
    call halo%create(comm)
    call halo%client('ocean', list)
    call list_halo(list, surface, key=0)
    call list_halo(list, flow, key=10)
    call list_halo(list, all_tracers, key=20)
    ! [list]
    call list%all_reduce(sums, all_sums, weft_sum)
    call list%all_reduce(courant, all_courant, weft_max)
    ! [list end]
    call halo%commit()
  end subroutine

  subroutine run_step(step)
    integer, intent(in) :: step
    integer :: j
    call dynamics_at_wall()
    call tracers_at_wall()
    call halo%start()
    call halo%ready_all(list)  ! starts the reductions also
    do j = 2, m - 1
      call compute_dynamics(2, n - 1, j, j)
      call halo%progress()
    end do
    do j = 3, m - 2
      call compute_tracers(3, n - 2, j, j)
      call halo%progress()
    end do
    ! [step]
    call halo%wait()
    if (step > 1) call use_diagnostics(step - 1)
    ! [step end]
    call mirror(surface, sign=1)
    call mirror(flow, sign=-1)
    call mirror(all_tracers, sign=1)
    call compute_boundary(compute_dynamics, 1)
    call compute_boundary(compute_tracers, 2)
    call advance_dynamics(step)
    call advance_tracers(step)
    call compute_diagnostics(step)
    last = step
  end subroutine

  subroutine stop_communication()
    call MPI_Allreduce(sums, all_sums, 3, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(courant, all_courant, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call use_diagnostics(last)
    call halo%free()
    call comm%free()
  end subroutine
end module
