/** Where the elements are in the memory of the module, and calls of the field on them, by name. */
import { CONSTANTS } from './constants.ts'
import { ELEMENT } from './field.ts'

/** Where the caller writes an element and a scalar, and reads the product; behind them, what the module needs itself. */
export const PLACES = { element: 0, scalar: 32, left: 64, right: 96, digits: 128, fields: 192 }
const SCRATCH = ['x', 'y', 'z', 't', 'a', 'b', 'c', 'e', 'f', 'g', 'h', 'u', 'v', 'q', 'r', 's', 'w', 'm', 'n'] as const
/** A multiple of the point as it is added: y + x, y - x, 2 z and 2 d t. */
export const CHOSEN = ['plus', 'minus', 'double', 'cross'] as const
const NAMES: readonly string[] = [...Object.keys(CONSTANTS), ...SCRATCH, ...CHOSEN]
/** The multiples 0 to 8 of the point. */
export const TABLE = PLACES.fields + NAMES.length * ELEMENT
export const MULTIPLE = CHOSEN.length * ELEMENT
export const MULTIPLES = 9
export const DIGITS = 64

export function placeOf(name: string): number {
  const index = NAMES.indexOf(name)
  if (index < 0) throw new RangeError(`no element is called ${name}`)
  return PLACES.fields + index * ELEMENT
}

export const at = (place: number) => `(i32.const ${place})`
export const operand = (text: string) => (/^\d+$/.test(text) ? at(Number(text)) : at(placeOf(text)))

/** One call for each line: `multiply e a b` stands for e = a b. */
export function steps(text: string): string {
  const calls = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' '))
  return calls.map(([name, ...operands]) => `(call $${name} ${operands.map(operand).join(' ')})`).join('\n    ')
}

export const isNegative = (name: string) => `(call $isNegative ${operand(name)})`
export const select = (out: string, a: string, b: string, bit: string) =>
  `(call $select ${operand(out)} ${operand(a)} ${operand(b)} ${bit})`
export const negateIf = (name: string, bit: string) => `${steps(`subtract m zero ${name}`)}
    ${select(name, name, 'm', bit)}`
