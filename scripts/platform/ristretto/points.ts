import { ELEMENT } from './field.ts'
import { at, operand, steps } from './memory.ts'

/** A sum or a double, whose t is e h until it is needed. */
const POINT = `multiply x e f
  multiply y g h
  multiply z f g`

export const POINTS = `(func $double
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
