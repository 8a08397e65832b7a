// SPDX-License-Identifier: BSD-3-Clause
// As slots_x86_64.S, for 64-bit ARM.
  .macro SLOT number, name
  .text
  .globl \name
  .type \name, %function
  .p2align 4
\name:
  bti c
  adrp x16, weft_slots+8*\number
  ldr x16, [x16, :lo12:weft_slots+8*\number]
  br x16
  .size \name, .-\name
resolve_\number:
  bti jc
  mov w17, #\number
  b resolve
  .section .data.rel.slots, "aw", %progbits
  .quad resolve_\number
  .endm

  .section .data.rel.slots, "aw", %progbits
  .p2align 4
  .globl weft_slots
  .hidden weft_slots
  .hidden weft_resolve
weft_slots:

  .text
  .type resolve, %function
resolve:
  stp x29, x30, [sp, #-16]!
  mov x29, sp
  stp x0, x1, [sp, #-16]!
  stp x2, x3, [sp, #-16]!
  stp x4, x5, [sp, #-16]!
  stp x6, x7, [sp, #-16]!
  stp x8, x9, [sp, #-16]!
  stp q0, q1, [sp, #-32]!
  stp q2, q3, [sp, #-32]!
  stp q4, q5, [sp, #-32]!
  stp q6, q7, [sp, #-32]!
  mov w0, w17
  bl weft_resolve
  mov x16, x0
  ldp q6, q7, [sp], #32
  ldp q4, q5, [sp], #32
  ldp q2, q3, [sp], #32
  ldp q0, q1, [sp], #32
  ldp x8, x9, [sp], #16
  ldp x6, x7, [sp], #16
  ldp x4, x5, [sp], #16
  ldp x2, x3, [sp], #16
  ldp x0, x1, [sp], #16
  ldp x29, x30, [sp], #16
  br x16
  .size resolve, .-resolve

#include "advise/slots.S"

  .section .note.GNU-stack, "", %progbits
