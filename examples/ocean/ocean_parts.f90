! SPDX-License-Identifier: BSD-3-Clause
!
! What the steps with weft share.
module ocean_parts
  use ocean_grid
  use weft
  implicit none
contains
  ! [list]
  !> Lists the edges and the ghost points of fields. No copies: weft reads and writes the arrays themselves.
  subroutine list_halo(list, f, key)
    type(weft_requests), intent(in) :: list
    real(real64), pointer, intent(in) :: f(:, :, :)  ! a pointer keeps the lower bounds
    integer, intent(in) :: key
    integer :: w
    w = 1 - lbound(f, 1)
    call list%receive(west, key + 1, f(1 - w:0, 1:m, :))
    call list%receive(east, key + 2, f(n + 1:n + w, 1:m, :))
    if (.not. at_wall) call list%receive(south, key + 3, f(1:n, 1 - w:0, :))
    call list%receive(north, key + 4, f(1:n, m + 1:m + w, :))
    call list%send(west, key + 2, f(1:w, 1:m, :))
    call list%send(east, key + 1, f(n - w + 1:n, 1:m, :))
    if (.not. at_wall) call list%send(south, key + 4, f(1:n, 1:w, :))
    call list%send(north, key + merge(4, 3, at_fold), f(1:n, m - w + 1:m, :))
  end subroutine
  ! [list end]

  !> Beyond the fold, what was received is backwards.
  subroutine mirror(f, sign)
    real(real64), pointer, intent(in) :: f(:, :, :)
    integer, intent(in) :: sign
    integer :: w
    w = 1 - lbound(f, 1)
    if (at_fold) f(1:n, m + 1:m + w, :) = sign * f(n:1:-1, m + w:m + 1:-1, :)
  end subroutine

  !> Computes the points that are at most w points from the block's edge.
  subroutine compute_boundary(compute, w)
    interface
      subroutine compute(i1, i2, j1, j2)
        integer, intent(in) :: i1, i2, j1, j2
      end subroutine
    end interface
    integer, intent(in) :: w
    call compute(1, n, 1, w)
    call compute(1, n, m - w + 1, m)
    call compute(1, w, w + 1, m - w)
    call compute(n - w + 1, n, w + 1, m - w)
  end subroutine
end module
