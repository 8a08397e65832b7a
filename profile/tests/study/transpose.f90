! SPDX-License-Identifier: BSD-3-Clause
! An FFT in two halves: one is transposed by MPI_Ialltoall while the other is computed.
program transpose_halves
  use work
  implicit none
  character, allocatable, asynchronous :: in(:), out(:)
  type(MPI_Request) :: request
  integer :: step, half, n
  call begin_work()
  n = bytes
  if (broken("large")) n = 8 * bytes
  allocate (in(2 * n), out(2 * n))
  out = "x"
  do step = 1, steps
    do half = 1, 2
      if (broken("blocking")) then
        call MPI_Alltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD) ! BROKEN blocking
        call compute(rounds / 2)
        cycle
      end if
      call MPI_Ialltoall(out, n, MPI_BYTE, in, n, MPI_BYTE, MPI_COMM_WORLD, request)
      if (broken("early_wait")) call MPI_Wait(request, MPI_STATUS_IGNORE) ! BROKEN early_wait
      call compute(rounds / 2)
      call MPI_Wait(request, MPI_STATUS_IGNORE) ! BROKEN large
    end do
  end do
  call end_work()
end program
