! SPDX-License-Identifier: BSD-3-Clause
!
! A small ocean model as such codes look: nonlinear shallow water and two tracers on several levels, on a grid in blocks
! over the ranks. The grid is periodic in x, has a wall in the south, and in the north a tripolar fold: the row beyond
! the last one is the last one, backwards. No communication, except of the setup. Results are bitwise identical on any
! number of ranks.

!> The grid and its blocks.
module ocean_grid
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: error_unit, int64, real64
  implicit none
  integer :: nx = 96, ny = 64, levels = 8           ! points of the whole grid
  integer :: n, m                                   ! points of this rank in x and y
  integer :: first_x, first_y                       ! the whole grid's points before them
  integer :: rank, ranks, west, east, south, north  ! `south` is MPI_PROC_NULL at the wall; `north` at the fold: the mirror
  logical :: at_wall, at_fold
  character(16) :: progress_kind = 'polling'        ! how weft makes progress, for the steps that use it
contains
  subroutine make_grid()
    integer :: blocks(2), x, y
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks)
    blocks = 0
    call MPI_Dims_create(ranks, 2, blocks)
    n = nx / blocks(1)
    m = ny / blocks(2)
    if (n * blocks(1) /= nx .or. m * blocks(2) /= ny .or. min(n, m) < 4) call stop_all( &
      'The grid can''t be cut into blocks (all must have the same size, of at least 4 points). Choose other numbers.')
    x = mod(rank, blocks(1))
    y = rank / blocks(1)
    first_x = x * n
    first_y = y * m
    west = rank_at(x - 1, y)
    east = rank_at(x + 1, y)
    at_wall = y == 0
    at_fold = y == blocks(2) - 1
    south = rank_at(x, y - 1)
    if (at_wall) south = MPI_PROC_NULL
    north = rank_at(x, y + 1)
    if (at_fold) north = rank_at(blocks(1) - 1 - x, y)
  contains
    integer function rank_at(x, y)
      integer, intent(in) :: x, y
      rank_at = modulo(x, blocks(1)) + blocks(1) * y
    end function
  end subroutine

  subroutine stop_all(why)
    character(*), intent(in) :: why
    if (rank == 0) write(error_unit, '(a)') 'error: '//why
    call MPI_Finalize()
    stop 2, quiet=.true.
  end subroutine
end module

!> The seconds of computation; all else in a step counts as communication.
module ocean_clock
  use mpi_f08, only: MPI_Wtime
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  real(real64) :: computed = 0, started = 0
contains
  subroutine start_clock()
    started = MPI_Wtime()
  end subroutine
  subroutine stop_clock()
    computed = computed + (MPI_Wtime() - started)
  end subroutine
end module

!> Block 1: the free surface `eta` and the velocity, by the method of Adams and Bashforth.
module ocean_dynamics
  use ocean_grid
  use ocean_clock
  implicit none
  real(real64), parameter :: dx = 1e4_real64, dt = 60, depth = 100, gravity = 9.81_real64, &
    rotation = 1e-4_real64, viscosity = 500
  real(real64), allocatable, target :: eta(:, :), velocity(:, :, :)  ! one ghost point on each side; u, v
  real(real64), allocatable :: eta_rate(:, :), eta_before(:, :), rate(:, :, :), before(:, :, :)
contains
  subroutine start_dynamics()
    integer :: i, j
    allocate(eta(0:n + 1, 0:m + 1), velocity(0:n + 1, 0:m + 1, 2), source=0.0_real64)
    allocate(eta_rate(n, m), eta_before(n, m), rate(n, m, 2), before(n, m, 2), source=0.0_real64)
    do j = 1, m
      do i = 1, n
        eta(i, j) = 1 / (1 + (((first_x + i - nx / 3)**2 + (first_y + j - 2 * ny / 3)**2) / 50.0_real64)**2)
      end do
    end do
  end subroutine

  !> At the wall nothing flows north or south.
  subroutine dynamics_at_wall()
    if (.not. at_wall) return
    eta(:, 0) = eta(:, 1)
    velocity(:, 0, 1) = velocity(:, 1, 1)
    velocity(:, 0, 2) = -velocity(:, 1, 2)
  end subroutine

  !> The rates of change in the points [i1, i2] x [j1, j2]. They read one point more on each side.
  subroutine compute_dynamics(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j
    call start_clock()
    do j = j1, j2
      do i = i1, i2
        eta_rate(i, j) = -((flow(i, j, i + 1, j, 1) - flow(i - 1, j, i, j, 1)) + &
          (flow(i, j, i, j + 1, 2) - flow(i, j - 1, i, j, 2))) / dx
        rate(i, j, 1) = rotation * velocity(i, j, 2) - gravity * (eta(i + 1, j) - eta(i - 1, j)) / (2 * dx) + other(i, j, 1)
        rate(i, j, 2) = -rotation * velocity(i, j, 1) - gravity * (eta(i, j + 1) - eta(i, j - 1)) / (2 * dx) + other(i, j, 2)
      end do
    end do
    call stop_clock()
  contains
    !> What flows through the face between two points.
    pure real(real64) function flow(i, j, k, l, c)
      integer, intent(in) :: i, j, k, l, c
      flow = 0.5 * ((depth + eta(i, j)) * velocity(i, j, c) + (depth + eta(k, l)) * velocity(k, l, c))
    end function
    !> Advection and viscosity.
    pure real(real64) function other(i, j, c)
      integer, intent(in) :: i, j, c
      other = -(velocity(i, j, 1) * (velocity(i + 1, j, c) - velocity(i - 1, j, c)) + &
        velocity(i, j, 2) * (velocity(i, j + 1, c) - velocity(i, j - 1, c))) / (2 * dx) + &
        viscosity * ((velocity(i + 1, j, c) + velocity(i - 1, j, c)) + (velocity(i, j + 1, c) + velocity(i, j - 1, c)) - &
        4 * velocity(i, j, c)) / dx**2
    end function
  end subroutine

  subroutine advance_dynamics(step)
    integer, intent(in) :: step
    call start_clock()
    call advance(eta(1:n, 1:m), eta_rate, eta_before, step)
    call advance(velocity(1:n, 1:m, 1), rate(:, :, 1), before(:, :, 1), step)
    call advance(velocity(1:n, 1:m, 2), rate(:, :, 2), before(:, :, 2), step)
    call stop_clock()
  end subroutine
  subroutine advance(value, rate, before, step)
    real(real64), intent(inout) :: value(:, :), before(:, :)
    real(real64), intent(in) :: rate(:, :)
    integer, intent(in) :: step
    real(real64) :: old
    old = merge(0.0_real64, 0.6_real64, step == 1)
    value = value + dt * ((1 + old) * rate - old * before)
    before = rate
  end subroutine
end module

!> Block 2: temperature and salt, carried by the flow (third order, Wicker and Skamarock 2002) and mixed between levels.
module ocean_tracers
  use ocean_dynamics
  implicit none
  real(real64), parameter :: mixing = 1e-6_real64
  real(real64), allocatable, target :: tracers(:, :, :, :)  ! two ghost points on each side
  real(real64), allocatable :: tracer_rate(:, :, :, :), tracer_before(:, :, :, :)
contains
  subroutine start_tracers()
    integer :: i, j, k
    allocate(tracers(-1:n + 2, -1:m + 2, levels, 2), source=0.0_real64)
    allocate(tracer_rate(n, m, levels, 2), tracer_before(n, m, levels, 2), source=0.0_real64)
    do k = 1, levels
      do j = 1, m
        do i = 1, n
          tracers(i, j, k, 1) = 4 + 16 * real(first_y + j, real64) / ny * levels / (levels + k)
          tracers(i, j, k, 2) = 34 + mod((first_x + i) / 8 + (first_y + j) / 8, 2)
        end do
      end do
    end do
  end subroutine

  subroutine tracers_at_wall()
    if (.not. at_wall) return
    tracers(:, 0, :, :) = tracers(:, 1, :, :)
    tracers(:, -1, :, :) = tracers(:, 2, :, :)
  end subroutine

  !> The rates of change in the points [i1, i2] x [j1, j2]. They read two points more of the tracers on each side, and
  !> one of the velocity.
  subroutine compute_tracers(i1, i2, j1, j2)
    integer, intent(in) :: i1, i2, j1, j2
    integer :: i, j, k, c
    real(real64) :: speed
    call start_clock()
    do c = 1, 2
      do k = 1, levels
        speed = 1.5 - (k - 0.5_real64) / levels  ! of the level, relative to the mean
        do j = j1, j2
          do i = i1, i2
            tracer_rate(i, j, k, c) = -((x_flow(i, j) - x_flow(i - 1, j)) + (y_flow(i, j) - y_flow(i, j - 1))) / dx + &
              mixing * ((tracers(i, j, max(k - 1, 1), c) - tracers(i, j, k, c)) + &
              (tracers(i, j, min(k + 1, levels), c) - tracers(i, j, k, c)))
          end do
        end do
      end do
    end do
    call stop_clock()
  contains
    pure real(real64) function x_flow(i, j)
      integer, intent(in) :: i, j
      x_flow = carried(0.5 * speed * (velocity(i, j, 1) + velocity(i + 1, j, 1)), tracers(i - 1, j, k, c), &
        tracers(i, j, k, c), tracers(i + 1, j, k, c), tracers(i + 2, j, k, c))
    end function
    pure real(real64) function y_flow(i, j)
      integer, intent(in) :: i, j
      y_flow = carried(0.5 * speed * (velocity(i, j, 2) + velocity(i, j + 1, 2)), tracers(i, j - 1, k, c), &
        tracers(i, j, k, c), tracers(i, j + 1, k, c), tracers(i, j + 2, k, c))
    end function
    pure real(real64) function carried(velocity, a, b, c, d)
      real(real64), intent(in) :: velocity, a, b, c, d
      carried = (velocity * (7 * (b + c) - (a + d)) + abs(velocity) * ((d - a) - 3 * (c - b))) / 12
    end function
  end subroutine

  subroutine advance_tracers(step)
    integer, intent(in) :: step
    integer :: k, c
    call start_clock()
    do c = 1, 2
      do k = 1, levels
        call advance(tracers(1:n, 1:m, k, c), tracer_rate(:, :, k, c), tracer_before(:, :, k, c), step)
      end do
    end do
    call stop_clock()
  end subroutine
end module

!> What is reduced over all ranks after each step. Sums are of integers, so that their order does not matter.
module ocean_diagnostics
  use ocean_tracers
  implicit none
  integer :: every = 20                       ! steps from one line of output to the next
  integer(int64), target :: sums(3) = 0, all_sums(3) = 0  ! of eta, temperature and a checksum; the last two only for output
  real(real64), target :: courant(1) = 0, all_courant(1) = 0
contains
  subroutine compute_diagnostics(step)
    integer, intent(in) :: step
    integer :: i, j, k
    call start_clock()
    sums = 0
    courant = 0
    do j = 1, m
      do i = 1, n
        sums(1) = sums(1) + nint(eta(i, j) * 2.0_real64**36, int64)
        courant = max(courant, (maxval(abs(velocity(i, j, :))) + sqrt(gravity * (depth + eta(i, j)))) * dt / dx)
      end do
    end do
    if (mod(step, every) == 0) then
      call add_to_checksum(eta(1:n, 1:m), 1)
      call add_to_checksum(velocity(1:n, 1:m, 1), 2)
      call add_to_checksum(velocity(1:n, 1:m, 2), 3)
      do k = 1, levels
        call add_to_checksum(tracers(1:n, 1:m, k, 1), 3 + k)
        call add_to_checksum(tracers(1:n, 1:m, k, 2), 33 + k)
        sums(2) = sums(2) + sum(nint(tracers(1:n, 1:m, k, 1) * 2.0_real64**32, int64))
      end do
    end if
    call stop_clock()
  end subroutine
  subroutine add_to_checksum(field, salt)
    real(real64), intent(in) :: field(:, :)
    integer, intent(in) :: salt
    integer(int64) :: bits
    integer :: i, j
    do j = 1, m
      do i = 1, n
        bits = ishftc(transfer(field(i, j), bits), mod(31 * (first_x + i) + 17 * (first_y + j) + salt, 64))
        sums(3) = sums(3) + iand(ieor(bits, ishft(bits, -32)), 2147483647_int64)
      end do
    end do
  end subroutine

  !> The largest change that a step may make, and the output.
  subroutine use_diagnostics(step)
    integer, intent(in) :: step
    if (all_courant(1) > 1) call stop_all('The time step is too long.')
    if (rank /= 0 .or. mod(step, every) /= 0) return
    print '(a, i0, a, f15.13, a, f0.13, a, f18.16, a, z16.16)', 'step ', step, &
      ': surface ', all_sums(1) / 2.0_real64**36 / nx / ny, ', temperature ', &
      all_sums(2) / 2.0_real64**32 / nx / ny / levels, ', Courant number ', all_courant(1), ', checksum ', all_sums(3)
  end subroutine
end module
