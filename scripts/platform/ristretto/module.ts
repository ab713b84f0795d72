/**
 * Multiplication in ristretto255 (RFC 9496) as WebAssembly text. Points are extended coordinates x, y, z and t of the
 * twisted Edwards curve with a = -1 (Hisil, Wong, Carter and Dawson, 2008). The time does not depend on the scalar: each of
 * its 64 digits doubles four times, reads the whole table and adds.
 *
 * @module
 */
import { CONSTANTS } from './constants.ts'
import { CHOOSE, RECODE } from './digits.ts'
import { COMPARE, DECODE, ENCODE, INVERSE_ROOT } from './encoding.ts'
import { FIELD, limbsOf } from './field.ts'
import { at, DIGITS, MULTIPLE, MULTIPLES, operand, PLACES, placeOf, TABLE } from './memory.ts'
import { POINTS } from './points.ts'

/** 1, and the product in place of the element; 0 if there is no such element. Leaves nothing of the scalar. */
const MULTIPLY = `(func (export "multiply") (result i32) (local $i i32)
    (if (i32.eqz (call $decode)) (then (return (i32.const 0))))
    ;; The point in place 1 is what each further multiple adds.
    (call $keepMultiple ${at(TABLE + MULTIPLE)})
    (memory.copy ${operand('plus')} ${at(TABLE + MULTIPLE)} ${at(MULTIPLE)})
    (local.set $i ${at(TABLE + 2 * MULTIPLE)})
    (loop $more
      (call $addChosen)
      (call $keepMultiple (local.get $i))
      (br_if $more
        (i32.lt_u (local.tee $i (i32.add (local.get $i) ${at(MULTIPLE)})) ${at(TABLE + MULTIPLES * MULTIPLE)})))
    (call $setIdentity)
    (call $keepMultiple ${at(TABLE)})
    (call $recode)
    (local.set $i (i32.const ${DIGITS}))
    (loop $next
      (local.set $i (i32.sub (local.get $i) (i32.const 1)))
      (call $double) (call $double) (call $double) (call $double)
      (call $choose (i32.load8_s offset=${PLACES.digits} (local.get $i)))
      (call $addChosen)
      (br_if $next (local.get $i)))
    (call $encode)
    (memory.fill ${at(PLACES.scalar)} (i32.const 0) ${at(PLACES.fields - PLACES.scalar)})
    (memory.fill ${operand('x')} (i32.const 0) ${at(TABLE + MULTIPLES * MULTIPLE - placeOf('x'))})
    (i32.const 1))
  (func (export "isElement") (result i32) (call $decode))`

/** Exports `memory`, `multiply` and `isElement`: 32 bytes of an element at 0, and 32 bytes of a scalar below the order at 32. */
export const RISTRETTO = `(module
  (memory (export "memory") 1)
  (data ${at(PLACES.fields)} "${Object.values(CONSTANTS).map(limbsOf).join('')}")
  ${[FIELD, COMPARE, POINTS, CHOOSE, RECODE, INVERSE_ROOT, DECODE, ENCODE, MULTIPLY].join('\n  ')})
`
