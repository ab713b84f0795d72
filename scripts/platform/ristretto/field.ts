/**
 * Arithmetic modulo p = 2^255 - 19 as WebAssembly text. An element is ten signed limbs of 26 and 25 bits by turns, each an
 * i64 in memory: limb i counts 2^ceil(25.5 i). A product leaves limbs below 2^25.1 and 2^24.1; `multiply` and `square` take
 * sums and differences of up to six such elements without a carry in between, and no partial sum reaches 2^63.
 *
 * Nothing branches on an element or reads memory at a place that depends on one.
 *
 * @module
 */

export const LIMBS = 10
/** Bytes of an element in memory. */
export const ELEMENT = LIMBS * 8
const INDICES = Array.from({ length: LIMBS }, (_, i) => i)
const bitsOf = (limb: number) => (limb % 2 === 0 ? 26 : 25)
/** The bit of the number at which a limb begins. */
const startOf = (limb: number) => Math.ceil(25.5 * limb)

const get = (name: string) => `(local.get $${name})`
const set = (name: string, value: string) => `(local.set $${name} ${value})`
const constant = (value: number | bigint) => `(i64.const ${value})`
const binary = (operation: string) => (left: string, right: string) => `(i64.${operation} ${left} ${right})`
const [add, subtract, multiplied, and, or, left, right, rightUnsigned] = [
  'add',
  'sub',
  'mul',
  'and',
  'or',
  'shl',
  'shr_s',
  'shr_u',
].map(binary) as [Binary, Binary, Binary, Binary, Binary, Binary, Binary, Binary]
type Binary = ReturnType<typeof binary>

const locals = (...prefixes: readonly string[]) =>
  prefixes.map((prefix) => INDICES.map((i) => `(local $${prefix}${i} i64)`).join(' ')).join('\n    ')
const load = (prefix: string, from: string) =>
  INDICES.map((i) => set(`${prefix}${i}`, `(i64.load offset=${8 * i} ${get(from)})`)).join('\n    ')
const store = (prefix: string, to: string) =>
  INDICES.map((i) => `(i64.store offset=${8 * i} ${get(to)} ${get(`${prefix}${i}`)})`).join('\n    ')
const sum = (terms: readonly string[]) => terms.reduce((total, term) => add(total, term))

/** How often the product of two limbs counts: 19 times beyond 2^255, and twice where both begin half a bit late. */
const weightOf = (i: number, j: number) => (i + j >= LIMBS ? 19 : 1) * (i % 2 === 1 && j % 2 === 1 ? 2 : 1)

/** Brings limb `i` into its range, and adds what is over to the next. */
function carry(i: number): string {
  const bits = bitsOf(i)
  const next = (i + 1) % LIMBS
  const over = get('over')
  return [
    set('over', right(add(get(`h${i}`), constant(1 << (bits - 1))), constant(bits))),
    set(`h${i}`, subtract(get(`h${i}`), left(over, constant(bits)))),
    set(`h${next}`, add(get(`h${next}`), next === 0 ? multiplied(over, constant(19)) : over)),
  ].join('\n    ')
}
/** Two chains at once, so that neither waits for the other. */
const CARRIES = [0, 4, 1, 5, 2, 6, 3, 7, 4, 8, 9, 0].map(carry).join('\n    ')

function multiply(): string {
  // What is taken more than once: 19 g[j], and 2 f[i] where i is odd.
  const timesNineteen = INDICES.slice(1).map((j) => set(`n${j}`, multiplied(get(`g${j}`), constant(19))))
  const twice = INDICES.filter((i) => i % 2 === 1).map((i) => set(`t${i}`, left(get(`f${i}`), constant(1))))
  const products = INDICES.map((k) => {
    const terms = INDICES.map((i) => {
      const j = (k - i + LIMBS) % LIMBS
      const weight = weightOf(i, j)
      return multiplied(get(`${weight % 2 === 0 ? 't' : 'f'}${i}`), get(`${weight >= 19 ? 'n' : 'g'}${j}`))
    })
    return set(`h${k}`, sum(terms))
  })
  return `(func $multiply (param $out i32) (param $a i32) (param $b i32) (local $over i64)
    ${locals('f', 'g', 'n', 't', 'h')}
    ${load('f', 'a')}
    ${load('g', 'b')}
    ${[...timesNineteen, ...twice, ...products].join('\n    ')}
    ${CARRIES}
    ${store('h', 'out')})`
}

function square(): string {
  const timesNineteen = INDICES.slice(1).map((j) => set(`n${j}`, multiplied(get(`f${j}`), constant(19))))
  const products = INDICES.map((k) => {
    const terms = INDICES.flatMap((i) => {
      const j = (k - i + LIMBS) % LIMBS
      if (i > j) return []
      const weight = weightOf(i, j) * (i === j ? 1 : 2)
      const product = multiplied(get(`f${i}`), get(`${weight >= 19 ? 'n' : 'f'}${j}`))
      const power = weight % 4 === 0 ? 2 : weight % 2 === 0 ? 1 : 0
      return power === 0 ? [product] : [left(product, constant(power))]
    })
    return set(`h${k}`, sum(terms))
  })
  return `(func $square (param $out i32) (param $a i32) (local $over i64)
    ${locals('f', 'n', 'h')}
    ${load('f', 'a')}
    ${[...timesNineteen, ...products].join('\n    ')}
    ${CARRIES}
    ${store('h', 'out')})`
}

function limbByLimb(name: string, limb: (a: string, b: string) => string): string {
  const stores = INDICES.map((i) => {
    const at = (pointer: string) => `(i64.load offset=${8 * i} ${get(pointer)})`
    return `(i64.store offset=${8 * i} ${get('out')} ${limb(at('a'), at('b'))})`
  })
  return `(func $${name} (param $out i32) (param $a i32) (param $b i32)
    ${stores.join('\n    ')})`
}

/** $a if $bit is 0, $b if it is 1. */
function select(): string {
  const stores = INDICES.map((i) => {
    const [a, b] = [`(i64.load offset=${8 * i} ${get('a')})`, `(i64.load offset=${8 * i} ${get('b')})`]
    return `(i64.store offset=${8 * i} ${get('out')} (i64.xor ${a} ${and(`(i64.xor ${a} ${b})`, get('mask'))}))`
  })
  return `(func $select (param $out i32) (param $a i32) (param $b i32) (param $bit i32) (local $mask i64)
    ${set('mask', subtract(constant(0), `(i64.extend_i32_u ${get('bit')})`))}
    ${stores.join('\n    ')})`
}

/** The 32 bytes of the one representative below p, least significant byte first. */
function toBytes(): string {
  const bits = (limb: number) => constant(bitsOf(limb))
  // Whether the number, once its limbs are in range, is p or more, or below zero: then p is taken away, or added.
  const over = [
    set('over', right(add(multiplied(get('h9'), constant(19)), constant(1 << 24)), constant(25))),
    ...INDICES.map((i) => set('over', right(add(get(`h${i}`), get('over')), bits(i)))),
    set('h0', add(get('h0'), multiplied(get('over'), constant(19)))),
  ]
  const unsigned = INDICES.flatMap((i) => [
    ...(i === LIMBS - 1 ? [] : [set(`h${i + 1}`, add(get(`h${i + 1}`), right(get(`h${i}`), bits(i))))]),
    set(`h${i}`, and(get(`h${i}`), constant((1 << bitsOf(i)) - 1))),
  ])
  const words = [0, 1, 2, 3].map((word) => {
    const parts = INDICES.flatMap((i) => {
      const at = startOf(i) - 64 * word
      if (at >= 64 || at + bitsOf(i) <= 0) return []
      if (at < 0) return [rightUnsigned(get(`h${i}`), constant(-at))]
      return [at === 0 ? get(`h${i}`) : left(get(`h${i}`), constant(at))]
    })
    return `(i64.store offset=${8 * word} ${get('out')} ${parts.reduce((total, part) => or(total, part))})`
  })
  return `(func $toBytes (param $out i32) (param $a i32) (local $over i64)
    ${locals('h')}
    ${load('h', 'a')}
    ${CARRIES}
    ${[...over, ...unsigned, ...words].join('\n    ')})`
}

/** The number in 32 bytes without the highest bit. It may be p or more. */
function fromBytes(): string {
  const words = [0, 1, 2, 3].map((word) => set(`w${word}`, `(i64.load offset=${8 * word} ${get('a')})`))
  const stores = INDICES.map((i) => {
    const word = Math.floor(startOf(i) / 64)
    const at = startOf(i) - 64 * word
    const low = rightUnsigned(get(`w${word}`), constant(at))
    const value = at + bitsOf(i) > 64 ? or(low, left(get(`w${word + 1}`), constant(64 - at))) : low
    return `(i64.store offset=${8 * i} ${get('out')} ${and(value, constant((1 << bitsOf(i)) - 1))})`
  })
  return `(func $fromBytes (param $out i32) (param $a i32) (local $w0 i64) (local $w1 i64) (local $w2 i64) (local $w3 i64)
    ${[...words, ...stores].join('\n    ')})`
}

/** The functions of the field: pointers in, pointers out, which may be the same. */
export const FIELD = [
  multiply(),
  square(),
  limbByLimb('add', add),
  limbByLimb('subtract', subtract),
  select(),
  toBytes(),
  fromBytes(),
].join('\n  ')

/** An element as the bytes of a data segment. */
export function limbsOf(value: bigint): string {
  const bytes = INDICES.flatMap((i) => {
    const limb = (value >> BigInt(startOf(i))) & ((1n << BigInt(bitsOf(i))) - 1n)
    return Array.from({ length: 8 }, (_, at) => Number((limb >> BigInt(8 * at)) & 255n))
  })
  return bytes.map((byte) => `\\${byte.toString(16).padStart(2, '0')}`).join('')
}
