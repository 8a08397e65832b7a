! SPDX-License-Identifier: BSD-3-Clause
!
! The plain program: in each step it waits for three exchanges and two reductions.
module ocean_step
  use ocean_diagnostics
  use ocean_halo
  implicit none
contains
  subroutine start_communication()
  end subroutine

  ! [step]
  subroutine run_step(step)
    integer, intent(in) :: step
    call dynamics_at_wall()
    call exchange(eta, 1, 1, sign=1)
    call exchange(velocity, 1, 2, sign=-1)
    call compute_dynamics(1, n, 1, m)

    call tracers_at_wall()
    call exchange(tracers, 2, 2 * levels, sign=1)
    call compute_tracers(1, n, 1, m)

    call advance_dynamics(step)
    call advance_tracers(step)
    call compute_diagnostics(step)
    call MPI_Allreduce(sums, all_sums, 3, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Allreduce(courant, all_courant, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call use_diagnostics(step)
  end subroutine
  ! [step end]

  subroutine stop_communication()
  end subroutine
end module
