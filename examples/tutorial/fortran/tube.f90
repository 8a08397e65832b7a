! SPDX-License-Identifier: BSD-3-Clause
!
! The computation of all stages: a quantity that spreads in the wall of a tube. No communication. tube.hpp describes it.
module tubes
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private
  type, public :: tube
    real(real64), allocatable :: top(:), bottom(:)   ! rows to send
    real(real64), allocatable :: above(:), below(:)  ! rows received
    integer :: rows = 0
    integer, private :: columns = 0, first = 0
    real(real64), private :: spread = 0
    real(real64), allocatable, private :: now(:, :), next(:, :)  ! a column of these arrays is a row of the tube
  contains
    procedure :: create
    procedure :: copy_edges
    procedure :: update
    procedure :: finish_step
    procedure :: fingerprint
  end type
contains
  subroutine create(this, n, m, rank, ranks, spread)
    class(tube), intent(inout) :: this
    integer, intent(in) :: n, m, rank, ranks
    real(real64), intent(in) :: spread
    integer :: i, j
    this%first = share(rank)
    this%rows = share(rank + 1) - this%first
    this%columns = m
    this%spread = spread
    allocate(this%top(m), this%bottom(m), this%above(m), this%below(m), source=0.0_real64)
    allocate(this%now(m, this%rows))
    do i = 1, this%rows
      do j = 1, m
        this%now(j, i) = real(mod((this%first + i - 1) * 31 + (j - 1) * 17, 101), real64) / 101
      end do
    end do
    this%next = this%now
  contains
    integer function share(of)
      integer, intent(in) :: of
      share = int(n * int(of, int64) / ranks)
    end function
  end subroutine

  !> Copies the rows that the neighbours need into `top` and `bottom`.
  subroutine copy_edges(this)
    class(tube), intent(inout) :: this
    this%top = this%now(:, 1)
    this%bottom = this%now(:, this%rows)
  end subroutine

  !> Computes the next values of the rows first to last and increases `largest` to the largest change.
  subroutine update(this, first, last, largest)
    class(tube), intent(inout) :: this
    integer, intent(in) :: first, last
    real(real64), intent(inout) :: largest
    integer :: i
    do i = first, last
      if (this%rows == 1) then
        call update_row(this%above, this%below)
      else if (i == 1) then
        call update_row(this%above, this%now(:, 2))
      else if (i == this%rows) then
        call update_row(this%now(:, i - 1), this%below)
      else
        call update_row(this%now(:, i - 1), this%now(:, i + 1))
      end if
    end do
  contains
    subroutine update_row(up, down)
      real(real64), intent(in) :: up(:), down(:)
      real(real64) :: change
      integer :: j
      do j = 2, this%columns - 1
        change = this%spread * (up(j) + down(j) + this%now(j - 1, i) + this%now(j + 1, i) - 4 * this%now(j, i))
        this%next(j, i) = this%now(j, i) + change
        largest = max(largest, abs(change))
      end do
    end subroutine
  end subroutine

  !> All rows have been updated: the next values become the present ones.
  subroutine finish_step(this)
    class(tube), intent(inout) :: this
    real(real64), allocatable :: other(:, :)
    call move_alloc(this%now, other)
    call move_alloc(this%next, this%now)
    call move_alloc(other, this%next)
  end subroutine

  !> A checksum over the bits of my cells, modulo 2**64: the sum of each cell's bits times an odd number.
  integer(int64) function fingerprint(this)
    class(tube), intent(in) :: this
    integer(int64), parameter :: low = int(z'ffffffff', int64)
    integer(int64) :: bits, factor, upper, lower
    integer :: i, j
    upper = 0
    lower = 0
    do i = 1, this%rows
      do j = 1, this%columns
        bits = transfer(this%now(j, i), bits)
        factor = 2 * (int(this%first + i - 1, int64) * this%columns + (j - 1)) + 1
        lower = lower + iand(bits, low) * factor  ! Fortran's integers must not overflow: each half below 2**63
        upper = iand(upper + iand(ishft(bits, -32) * factor, low) + ishft(lower, -32), low)
        lower = iand(lower, low)
      end do
    end do
    fingerprint = ior(ishft(upper, 32), lower)
  end function
end module
