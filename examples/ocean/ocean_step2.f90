! SPDX-License-Identifier: BSD-3-Clause
!
! Step 2: one exchange for all fields. The program waits once for ghost points, and twice for reductions.
module ocean_step
  use ocean_diagnostics
  use ocean_parts
  implicit none
  type(weft_comm) :: comm
  type(weft_exchange) :: halo
  type(weft_requests) :: list
  real(real64), pointer :: surface(:, :, :), flow(:, :, :), all_tracers(:, :, :)
contains
  ! [list]
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
    call halo%commit()
  end subroutine
  ! [list end]

  subroutine run_step(step)
    integer, intent(in) :: step
    call dynamics_at_wall()
    call tracers_at_wall()
    call halo%start()
    call halo%ready_all(list)
    call halo%wait()
    call mirror(surface, sign=1)
    call mirror(flow, sign=-1)
    call mirror(all_tracers, sign=1)
    call compute_dynamics(1, n, 1, m)
    call compute_tracers(1, n, 1, m)

    call advance_dynamics(step)
    call advance_tracers(step)
    call compute_diagnostics(step)
    call MPI_Allreduce(sums, all_sums, 3, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(courant, all_courant, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call use_diagnostics(step)
  end subroutine

  subroutine stop_communication()
    call halo%free()
    call comm%free()
  end subroutine
end module
