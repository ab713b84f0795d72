import { ristretto255, ristretto255_hasher } from '@noble/curves/ed25519.js'
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { describe, expect, it } from 'vitest'
import vectors from './rfc9496-vectors.json'
import ristretto from './ristretto.wasm'
import { group } from './server.fixture.ts'

const { Point } = ristretto255
const { Fn } = Point
const scalarOf = (value: bigint) => Fn.toBytes(Fn.create(value))
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length))
const randomPoint = () => ristretto255_hasher.hashToCurve(random(32))
const randomScalar = () => ristretto255_hasher.hashToScalar(random(32), { DST: 'test' })

describe('the published vectors of RFC 9496', () => {
  it.each(vectors.multiples.map((encoding, i) => [i + 1, encoding] as const))(
    '%i times the generator',
    (times, encoding) => {
      expect(bytesToHex(group.multiplyGenerator(scalarOf(BigInt(times))))).toBe(encoding)
    },
  )

  it.each(vectors.invalid)('%s is not an element', (encoding) => {
    const bytes = hexToBytes(encoding)
    expect(group.isElement(bytes)).toBe(false)
    expect(group.multiply(bytes, scalarOf(5n))).toBeNull()
  })
})

describe('beside an independent implementation', () => {
  it('multiplies random elements by random scalars', () => {
    for (let i = 0; i < 200; i++) {
      const [point, scalar] = [randomPoint(), randomScalar()]
      const product = group.multiply(point.toBytes(), Fn.toBytes(scalar))
      expect(product && bytesToHex(product)).toBe(point.multiply(scalar).toHex())
    }
  })

  it.each([
    ['small', [1n, 2n, 7n, 8n, 9n, 15n, 16n, 17n]],
    ['close to the order', [1n, 2n, 8n, 16n].map((less) => Fn.ORDER - less)],
    ['of one digit each', Array.from({ length: 62 }, (_, i) => 8n << BigInt(4 * i))],
    [
      'of the largest digits',
      [0x7777n, 0x8888n, 0x9999n, 0xffffn].map((d) => Fn.create(d * ((2n ** 240n - 1n) / 0xffffn))),
    ],
  ])('multiplies by scalars that are %s', (_, scalars) => {
    const point = randomPoint()
    for (const scalar of scalars) {
      const product = group.multiply(point.toBytes(), Fn.toBytes(scalar))
      expect(product && bytesToHex(product)).toBe(point.multiply(scalar).toHex())
    }
  })

  it('takes the same encodings, but for the identity', () => {
    let taken = 0
    for (let i = 0; i < 400; i++) {
      const bytes = random(32)
      bytes[0] = (bytes[0] ?? 0) & 0xfe
      bytes[31] = (bytes[31] ?? 0) & 0x7f
      expect(group.isElement(bytes)).toBe(isPoint(bytes))
      if (isPoint(bytes)) taken += 1
    }
    expect(taken).toBeGreaterThan(0)
    expect(group.isElement(new Uint8Array(32))).toBe(false)
  })
})

it('does not remember another multiplication', () => {
  const [one, other] = [randomPoint().toBytes(), randomPoint().toBytes()]
  const first = group.multiply(one, scalarOf(77n))
  group.multiply(other, scalarOf(78n))
  expect(group.multiply(one, scalarOf(77n))).toEqual(first)
})

it('needs 32 bytes of each', () => {
  const [element, scalar] = [randomPoint().toBytes(), scalarOf(3n)]
  expect(() => group.multiply(element.slice(1), scalar)).toThrow(RangeError)
  expect(() => group.multiply(element, scalar.slice(1))).toThrow(RangeError)
  expect(group.isElement(element.slice(1))).toBe(false)
})

it('leaves nothing of a scalar or of its point in memory', () => {
  const kernel = new WebAssembly.Instance(ristretto).exports as unknown as {
    readonly memory: WebAssembly.Memory
    readonly multiply: () => number
  }
  const memory = new Uint8Array(kernel.memory.buffer)
  const before = memory.slice(32)
  memory.set(randomPoint().toBytes())
  memory.set(random(31), 32)
  expect(kernel.multiply()).toBe(1)
  expect(memory.slice(32)).toEqual(before)
})

function isPoint(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(bytes)
    return true
  } catch {
    return false
  }
}
