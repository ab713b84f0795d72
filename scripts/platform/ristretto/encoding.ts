import { at, isNegative, negateIf, operand, PLACES, select, steps } from './memory.ts'

export const COMPARE = `(func $isSame (param $a i32) (param $b i32) (result i32)
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
export const INVERSE_ROOT = `(func $squares (param $out i32) (param $a i32) (param $times i32)
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
export const DECODE = `(func $decode (result i32) (local $isGood i32)
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
export const ENCODE = `(func $encode (local $isTurned i32)
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
