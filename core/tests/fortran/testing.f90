! SPDX-License-Identifier: BSD-3-Clause
! Checks for the test programs: all failures of a rank are printed, and the program then ends with an error.
module testing
  use, intrinsic :: iso_fortran_env, only: error_unit
  implicit none
  integer, private :: failures = 0
contains
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    write (error_unit, '(2a)') 'FAILED: ', what
  end subroutine
  subroutine expect_text(text, part)
    character(*), intent(in) :: text, part
    call expect(index(text, part) > 0, "'"//trim(text)//"' has '"//part//"'")
  end subroutine
  subroutine finish()
    if (failures > 0) error stop 1
    print '(a)', 'passed'
  end subroutine
end module
