/**
 * Multiplication in ristretto255 (RFC 9496) as WebAssembly text. Points are extended coordinates x, y, z and t of the
 * twisted Edwards curve with a = -1 (Hisil, Wong, Carter and Dawson, 2008). The time does not depend on the scalar: each of
 * its 64 digits doubles four times, reads the whole table and adds.
 *
 * @module
 */
import { CONSTANTS } from './constants.ts'
import { ELEMENT, FIELD, limbsOf } from './field.ts'

/** Where the caller writes an element and a scalar, and reads the product; behind them, what the module needs itself. */
const PLACES = { element: 0, scalar: 32, left: 64, right: 96, digits: 128, fields: 192 }
const SCRATCH = ['x', 'y', 'z', 't', 'a', 'b', 'c', 'e', 'f', 'g', 'h', 'u', 'v', 'q', 'r', 's', 'w', 'm', 'n'] as const
/** A multiple of the point as it is added: y + x, y - x, 2 z and 2 d t. */
const CHOSEN = ['plus', 'minus', 'double', 'cross'] as const
const NAMES: readonly string[] = [...Object.keys(CONSTANTS), ...SCRATCH, ...CHOSEN]
/** The multiples 0 to 8 of the point. */
const TABLE = PLACES.fields + NAMES.length * ELEMENT
const MULTIPLE = CHOSEN.length * ELEMENT
const MULTIPLES = 9
const DIGITS = 64
const LANES = MULTIPLE / 16

function placeOf(name: string): number {
  const index = NAMES.indexOf(name)
  if (index < 0) throw new RangeError(`no element is called ${name}`)
  return PLACES.fields + index * ELEMENT
}

const at = (place: number) => `(i32.const ${place})`
const operand = (text: string) => (/^\d+$/.test(text) ? at(Number(text)) : at(placeOf(text)))

/** One call for each line: `multiply e a b` stands for e = a b. */
function steps(text: string): string {
  const calls = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' '))
  return calls.map(([name, ...operands]) => `(call $${name} ${operands.map(operand).join(' ')})`).join('\n    ')
}

const isNegative = (name: string) => `(call $isNegative ${operand(name)})`
const select = (out: string, a: string, b: string, bit: string) =>
  `(call $select ${operand(out)} ${operand(a)} ${operand(b)} ${bit})`
const negateIf = (name: string, bit: string) => `${steps(`subtract m zero ${name}`)}
    ${select(name, name, 'm', bit)}`

/** A sum or a double, whose t is e h until it is needed. */
const POINT = `multiply x e f
  multiply y g h
  multiply z f g`

const POINTS = `(func $double
    ${steps(`
      square a x
      square b y
      square c z
      add c c c
      add e x y
      square e e
      add h a b
      subtract e e h
      subtract g b a
      subtract f g c
      subtract h zero h
      ${POINT}`)})
  (func $addChosen
    ${steps(`
      multiply t e h
      subtract a y x
      multiply a a minus
      add b y x
      multiply b b plus
      multiply c t cross
      multiply m z double
      subtract e b a
      subtract f m c
      add g m c
      add h b a
      ${POINT}`)})
  (func $keepMultiple (param $to i32)
    ${steps('multiply t e h')}
    (call $add (local.get $to) ${operand('y')} ${operand('x')})
    (call $subtract (i32.add (local.get $to) ${at(ELEMENT)}) ${operand('y')} ${operand('x')})
    (call $add (i32.add (local.get $to) ${at(2 * ELEMENT)}) ${operand('z')} ${operand('z')})
    (call $multiply (i32.add (local.get $to) ${at(3 * ELEMENT)}) ${operand('t')} ${operand('twiceD')}))
  (func $setIdentity
    ${steps(`
      add x zero zero
      add y one zero
      add z one zero
      add e zero zero
      add h one zero`)})`

/** The multiple that a digit from -8 to 8 names. Reads all of them. */
const CHOOSE = `(func $choose (param $digit i32) (local $sign i32) (local $multiple i32) (local $from i32) (local $mask v128)
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
const RECODE = `(func $recode (local $i i32) (local $byte i32) (local $digit i32) (local $carry i32)
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

const COMPARE = `(func $isSame (param $a i32) (param $b i32) (result i32)
    (i64.eqz
      (i64.or
        (i64.or
          (i64.xor (i64.load (local.get $a)) (i64.load (local.get $b)))
          (i64.xor (i64.load offset=8 (local.get $a)) (i64.load offset=8 (local.get $b))))
        (i64.or
          (i64.xor (i64.load offset=16 (local.get $a)) (i64.load offset=16 (local.get $b)))
          (i64.xor (i64.load offset=24 (local.get $a)) (i64.load offset=24 (local.get $b)))))))
  (func $isEqual (param $a i32) (param $b i32) (result i32)
    (call $toBytes ${at(PLACES.left)} (local.get $a))
    (call $toBytes ${at(PLACES.right)} (local.get $b))
    (call $isSame ${at(PLACES.left)} ${at(PLACES.right)}))
  (func $isNegative (param $a i32) (result i32)
    (call $toBytes ${at(PLACES.left)} (local.get $a))
    (i32.and (i32.load8_u ${at(PLACES.left)}) (i32.const 1)))`

/** RFC 9496 section 4.2, SQRT_RATIO_M1(1, q), into r; whether q has a root. */
const INVERSE_ROOT = `(func $squares (param $out i32) (param $a i32) (param $times i32)
    (call $square (local.get $out) (local.get $a))
    (loop $again
      (call $square (local.get $out) (local.get $out))
      (br_if $again (i32.gt_u (local.tee $times (i32.sub (local.get $times) (i32.const 1))) (i32.const 1)))))
  (func $inverseRoot (result i32) (local $isRoot i32) (local $isNegativeRoot i32) (local $isTurned i32)
    ${steps(`
      square s q
      multiply s s q
      square w s
      multiply w w q`)}
    ;; r = w^((p - 5) / 8) = w^(2^252 - 3), by way of w^(2^5 - 1), w^(2^10 - 1), and so on.
    ${steps(`
      square r w
      squares m r 2
      multiply m w m
      multiply r r m
      square r r
      multiply r m r
      squares m r 5
      multiply r m r
      squares m r 10
      multiply m m r
      squares n m 20
      multiply m n m
      squares m m 10
      multiply r m r
      squares m r 50
      multiply m m r
      squares n m 100
      multiply m n m
      squares m m 50
      multiply r m r
      squares r r 2
      multiply r r w`)}
    ${steps(`
      multiply r r s
      square m r
      multiply m m q`)}
    (local.set $isRoot (call $isEqual ${operand('m')} ${operand('one')}))
    (local.set $isNegativeRoot (call $isEqual ${operand('m')} ${operand('minusOne')}))
    (local.set $isTurned (call $isEqual ${operand('m')} ${operand('minusRoot')}))
    ${steps('multiply m r root')}
    ${select('r', 'r', 'm', '(i32.or (local.get $isNegativeRoot) (local.get $isTurned))')}
    ${negateIf('r', isNegative('r'))}
    (i32.or (local.get $isRoot) (local.get $isNegativeRoot)))`

/** RFC 9496 section 4.3.1. False for the identity too: RFC 9497 takes no such element. */
const DECODE = `(func $decode (result i32) (local $isGood i32)
    (call $fromBytes ${operand('u')} ${at(PLACES.element)})
    (call $toBytes ${at(PLACES.left)} ${operand('u')})
    (local.set $isGood (call $isSame ${at(PLACES.left)} ${at(PLACES.element)}))
    (local.set $isGood
      (i32.and (local.get $isGood) (i32.eqz (i32.and (i32.load8_u ${at(PLACES.element)}) (i32.const 1)))))
    (local.set $isGood (i32.and (local.get $isGood) (i32.eqz (call $isEqual ${operand('u')} ${operand('zero')}))))
    ${steps(`
      square a u
      subtract b one a
      add c one a
      square e c
      square f b
      multiply f f d
      add f f e
      subtract v zero f
      multiply q v e`)}
    (local.set $isGood (i32.and (local.get $isGood) (call $inverseRoot)))
    ${steps(`
      multiply g r c
      multiply h r g
      multiply h h v
      add x u u
      multiply x x g`)}
    ${negateIf('x', isNegative('x'))}
    ${steps(`
      multiply y b h
      add z one zero
      add e x zero
      add h y zero
      multiply t e h`)}
    (local.set $isGood (i32.and (local.get $isGood) (i32.eqz ${isNegative('t')})))
    (i32.and (local.get $isGood) (i32.eqz (call $isEqual ${operand('y')} ${operand('zero')}))))`

/** RFC 9496 section 4.3.2. */
const ENCODE = `(func $encode (local $isTurned i32)
    ${steps(`
      multiply t e h
      add a z y
      subtract b z y
      multiply a a b
      multiply b x y
      square q b
      multiply q q a`)}
    (drop (call $inverseRoot))
    ${steps(`
      multiply c r a
      multiply e r b
      multiply f c e
      multiply f f t
      multiply g x root
      multiply h y root
      multiply u c inverseRootOfAMinusD
      multiply v t f`)}
    (local.set $isTurned ${isNegative('v')})
    ${select('x', 'x', 'h', '(local.get $isTurned)')}
    ${select('y', 'y', 'g', '(local.get $isTurned)')}
    ${select('e', 'e', 'u', '(local.get $isTurned)')}
    ${steps('multiply v x f')}
    ${negateIf('y', isNegative('v'))}
    ${steps(`
      subtract v z y
      multiply v e v`)}
    ${negateIf('v', isNegative('v'))}
    (call $toBytes ${at(PLACES.element)} ${operand('v')}))`

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
