import { at, DIGITS, MULTIPLE, MULTIPLES, negateIf, operand, PLACES, select, steps, TABLE } from './memory.ts'

const LANES = MULTIPLE / 16

/** The multiple that a digit from -8 to 8 names. Reads all of them. */
export const CHOOSE = `(func $choose (param $digit i32) (local $sign i32) (local $multiple i32) (local $from i32) (local $mask v128)
    ${Array.from({ length: LANES }, (_, lane) => `(local $l${lane} v128)`).join(' ')}
    (local.set $sign (i32.shr_s (local.get $digit) (i32.const 31)))
    (local.set $digit (i32.sub (i32.xor (local.get $digit) (local.get $sign)) (local.get $sign)))
    (local.set $from ${at(TABLE)})
    (loop $next
      (local.set $mask
        (i64x2.splat (i64.sub (i64.const 0) (i64.extend_i32_u (i32.eq (local.get $multiple) (local.get $digit))))))
      ${Array.from(
        { length: LANES },
        (_, lane) =>
          `(local.set $l${lane}
        (v128.or (local.get $l${lane}) (v128.and (local.get $mask) (v128.load offset=${16 * lane} (local.get $from)))))`,
      ).join('\n      ')}
      (local.set $from (i32.add (local.get $from) ${at(MULTIPLE)}))
      (br_if $next
        (i32.lt_u (local.tee $multiple (i32.add (local.get $multiple) (i32.const 1))) (i32.const ${MULTIPLES}))))
    ${Array.from(
      { length: LANES },
      (_, lane) => `(v128.store offset=${16 * lane} ${operand('plus')} (local.get $l${lane}))`,
    ).join('\n    ')}
    ;; Its negative, where the digit is: plus and minus change places.
    (local.set $sign (i32.and (local.get $sign) (i32.const 1)))
    ${select('n', 'plus', 'minus', '(local.get $sign)')}
    ${select('minus', 'minus', 'plus', '(local.get $sign)')}
    ${steps('add plus n zero')}
    ${negateIf('cross', '(local.get $sign)')})`

/** The digits of the scalar to the base 16, from -8 to 8, least significant first. */
export const RECODE = `(func $recode (local $i i32) (local $byte i32) (local $digit i32) (local $carry i32)
    (loop $split
      (local.set $byte (i32.load8_u offset=${PLACES.scalar} (local.get $i)))
      (i32.store16 offset=${PLACES.digits} (i32.shl (local.get $i) (i32.const 1))
        (i32.or
          (i32.and (local.get $byte) (i32.const 15))
          (i32.shl (i32.shr_u (local.get $byte) (i32.const 4)) (i32.const 8))))
      (br_if $split (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 32))))
    (local.set $i (i32.const 0))
    (loop $balance
      (local.set $digit (i32.add (i32.load8_s offset=${PLACES.digits} (local.get $i)) (local.get $carry)))
      (local.set $carry (i32.shr_s (i32.add (local.get $digit) (i32.const 8)) (i32.const 4)))
      (i32.store8 offset=${PLACES.digits} (local.get $i)
        (i32.sub (local.get $digit) (i32.shl (local.get $carry) (i32.const 4))))
      (br_if $balance
        (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const ${DIGITS - 1}))))
    (i32.store8 offset=${PLACES.digits} (local.get $i)
      (i32.add (i32.load8_s offset=${PLACES.digits} (local.get $i)) (local.get $carry))))`
