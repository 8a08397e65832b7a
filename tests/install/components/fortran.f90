! SPDX-License-Identifier: BSD-3-Clause
program ring
  use weft
  implicit none
  type(weft_comm) :: comm
  type(weft_exchange) :: exchange
  type(weft_requests) :: list
  integer :: rank, size
  real, target :: u(4, 3), row(3)
  call comm%create()
  call comm%get_rank(rank, size)
  call exchange%create(comm)
  call exchange%client('ring', list)
  call list%send(modulo(rank + 1, size), 1, u(2, :))
  call list%receive(modulo(rank - 1, size), 1, row)
  call exchange%commit()
  u = rank
  call exchange%start()
  call exchange%ready_all(list)
  call exchange%wait()
  if (any(nint(row) /= modulo(rank - 1, size))) error stop 'wrong values'
  call exchange%free()
  call comm%free()
  call weft_finalize()
end program
