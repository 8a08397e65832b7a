! SPDX-License-Identifier: BSD-3-Clause
! A halo by a neighbourhood collective on a graph of processes.
program neighbours
  use work
  implicit none
  character, allocatable, asynchronous :: in(:), out(:)
  type(MPI_Comm) :: graph
  type(MPI_Request) :: request
  integer :: step, peer(1)
  call begin_work()
  peer = 1 - rank
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, peer, MPI_UNWEIGHTED, 1, peer, MPI_UNWEIGHTED, &
    MPI_INFO_NULL, .false., graph)
  allocate (in(bytes), out(bytes))
  out = "x"
  do step = 1, steps
    if (broken("blocking")) then
      call MPI_Neighbor_alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, graph) ! BROKEN blocking
      call compute(rounds)
      cycle
    end if
    if (broken("late_post")) call compute(rounds)
    call MPI_Ineighbor_alltoall(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, graph, request)
    if (broken("early_wait")) call MPI_Wait(request, MPI_STATUS_IGNORE) ! BROKEN early_wait
    if (.not. broken("late_post")) call compute(rounds)
    call MPI_Wait(request, MPI_STATUS_IGNORE) ! BROKEN late_post
  end do
  call end_work()
end program
