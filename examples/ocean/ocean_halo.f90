! SPDX-License-Identifier: BSD-3-Clause
!
! How the plain program fills ghost points, and how its ranks reduce: pack, send, receive, wait, unpack.
module ocean_halo
  use ocean_grid
  implicit none
contains
  !> Fills the w ghost points on each side of `count` fields. Beyond the fold a field has the opposite sign if `sign` is -1.
  subroutine exchange(f, w, count, sign)
    integer, intent(in) :: w, count, sign
    real(real64), intent(inout) :: f(1 - w:n + w, 1 - w:m + w, count)
    real(real64), asynchronous :: to_west(w, m, count), to_east(w, m, count), to_south(n, w, count), to_north(n, w, count)
    real(real64), asynchronous :: of_west(w, m, count), of_east(w, m, count), of_south(n, w, count), of_north(n, w, count)
    type(MPI_Request) :: requests(8)
    call MPI_Irecv(of_west, size(of_west), MPI_DOUBLE_PRECISION, west, 1, MPI_COMM_WORLD, requests(1))
    call MPI_Irecv(of_east, size(of_east), MPI_DOUBLE_PRECISION, east, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Irecv(of_south, size(of_south), MPI_DOUBLE_PRECISION, south, 3, MPI_COMM_WORLD, requests(3))
    call MPI_Irecv(of_north, size(of_north), MPI_DOUBLE_PRECISION, north, 4, MPI_COMM_WORLD, requests(4))
    to_west = f(1:w, 1:m, :)
    to_east = f(n - w + 1:n, 1:m, :)
    to_south = f(1:n, 1:w, :)
    to_north = f(1:n, m - w + 1:m, :)
    call MPI_Isend(to_west, size(to_west), MPI_DOUBLE_PRECISION, west, 2, MPI_COMM_WORLD, requests(5))
    call MPI_Isend(to_east, size(to_east), MPI_DOUBLE_PRECISION, east, 1, MPI_COMM_WORLD, requests(6))
    call MPI_Isend(to_south, size(to_south), MPI_DOUBLE_PRECISION, south, 4, MPI_COMM_WORLD, requests(7))
    call MPI_Isend(to_north, size(to_north), MPI_DOUBLE_PRECISION, north, merge(4, 3, at_fold), MPI_COMM_WORLD, requests(8))
    call MPI_Waitall(8, requests, MPI_STATUSES_IGNORE)
    f(1 - w:0, 1:m, :) = of_west
    f(n + 1:n + w, 1:m, :) = of_east
    if (.not. at_wall) f(1:n, 1 - w:0, :) = of_south
    if (at_fold) then
      f(1:n, m + 1:m + w, :) = sign * of_north(n:1:-1, w:1:-1, :)
    else
      f(1:n, m + 1:m + w, :) = of_north
    end if
  end subroutine
end module
