! SPDX-License-Identifier: BSD-3-Clause
!
! Names parts of an MPI program for `weft run` (see weft_region.h). Compile this file with the program:
!
!     use weft_region
!     call region_begin("halo")
!     ...
!     call region_end("halo")
!
! The program needs no library of weft; without `weft run` the calls do nothing.
module weft_region
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char, c_null_ptr, c_ptr, c_funptr, c_associated, c_f_procpointer
  implicit none
  private
  public :: region_begin, region_end

  interface
    function dlsym(handle, name) bind(c)  ! a null handle: the whole process
      import :: c_ptr, c_funptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: name(*)
      type(c_funptr) :: dlsym
    end function
    subroutine mark_region(name, enters) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: enters
    end subroutine
  end interface

  procedure(mark_region), pointer :: mark => null()
  logical :: is_known = .false.

contains

  subroutine region_begin(name)
    character(*), intent(in) :: name
    call tell(name, 1_c_int)
  end subroutine

  subroutine region_end(name)
    character(*), intent(in) :: name
    call tell(name, 0_c_int)
  end subroutine

  subroutine tell(name, enters)
    character(*), intent(in) :: name
    integer(c_int), intent(in) :: enters
    type(c_funptr) :: found
    if (.not. is_known) then
      found = dlsym(c_null_ptr, "weft_mark_region" // c_null_char)
      if (c_associated(found)) call c_f_procpointer(found, mark)
      is_known = .true.
    end if
    if (associated(mark)) call mark(trim(name) // c_null_char, enters)
  end subroutine

end module
