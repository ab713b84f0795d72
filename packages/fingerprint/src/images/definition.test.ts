import { expect, it } from 'vitest'
import { lowFrequencies } from './frequencies.ts'
import { fingerprintImage, fingerprintSquare } from './pdq.ts'
import { phashOf } from './phash.ts'
import { noise, picture, plain } from './pictures.fixture.ts'
import { luminanceAt } from './pixels.ts'
import { reduced } from './reduce.ts'

/** The transform as it is defined, in double precision and without any order of steps. */
function frequency(square: ArrayLike<number>, side: number, row: number, column: number): number {
  let sum = 0
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      sum +=
        (square[y * side + x] ?? 0) *
        Math.cos((Math.PI * row * (2 * y + 1)) / (2 * side)) *
        Math.cos((Math.PI * column * (2 * x + 1)) / (2 * side))
  return (sum * 2) / side
}

it.each([
  [64, 16],
  [32, 8],
])('the transform of %i by %i is the discrete cosine transform', (side, count) => {
  const image = noise(3, side, side)
  const square = Float32Array.from({ length: side * side }, (_, at) =>
    luminanceAt(image, at % side, Math.floor(at / side)),
  )
  const found = lowFrequencies(square, side, count)
  for (let at = 0; at < found.length; at++)
    expect(found[at]).toBeCloseTo(frequency(square, side, Math.floor(at / count) + 1, (at % count) + 1), 1)
})

it('an image of 64 by 64 pixels is transformed as it is', () => {
  const image = picture(8, 64, 64)
  const square = Float32Array.from({ length: 4096 }, (_, at) => luminanceAt(image, at % 64, at >> 6))
  expect(fingerprintSquare(square)).toEqual(fingerprintImage(image))
})

/** The window of PDQ: half a cell, rounded up; even windows reach one further ahead. */
function mean(values: readonly number[], window: number): number[] {
  const ahead = Math.floor(window / 2)
  return values.map((_, i) => {
    const part = values.slice(Math.max(0, i + ahead - window + 1), i + ahead + 1)
    return part.reduce((sum, value) => sum + value, 0) / part.length
  })
}

it.each([
  [200, 130],
  [70, 513],
  [128, 64],
  [129, 30],
])('the blur of %i by %i is two box filters in each direction', (width, height) => {
  const image = noise(9, width, height)
  let rows = Array.from({ length: height }, (_row, y) =>
    Array.from({ length: width }, (_, x) => luminanceAt(image, x, y)),
  )
  const columns = (of: number[][]) => Array.from({ length: of[0]?.length ?? 0 }, (_, x) => of.map((row) => row[x]!))
  for (let pass = 0; pass < 2; pass++) {
    rows = rows.map((row) => mean(row, Math.ceil(width / 128)))
    rows = columns(columns(rows).map((column) => mean(column, Math.ceil(height / 128))))
  }
  const square = reduced(image, 64)
  for (let at = 0; at < 4096; at++) {
    const [x, y] = [
      Math.floor((((at % 64) + 0.5) * width) / 64),
      Math.floor(((Math.floor(at / 64) + 0.5) * height) / 64),
    ]
    expect(square[at]).toBeCloseTo(rows[y]![x]!, 2)
  }
})

it('pHash has a bit for each of the 64 lowest frequencies above their median', () => {
  for (let seed = 1; seed < 9; seed++) {
    const image = picture(seed, 100 + seed * 13, 90)
    const { width, height } = image
    const square = Array.from({ length: 1024 }, (_, at) => {
      const [x, y] = [Math.floor(((at % 32) * width) / 32), Math.floor((Math.floor(at / 32) * height) / 32)]
      let sum = 0
      for (let dy = -3; dy <= 3; dy++)
        for (let dx = -3; dx <= 3; dx++)
          sum += luminanceAt(image, Math.min(Math.max(x + dx, 0), width - 1), Math.min(Math.max(y + dy, 0), height - 1))
      return sum
    })
    const found = Array.from({ length: 64 }, (_, at) => frequency(square, 32, Math.floor(at / 8) + 1, (at % 8) + 1))
    const sorted = found.toSorted((a, b) => a - b)
    const median = ((sorted[31] ?? 0) + (sorted[32] ?? 0)) / 2
    const bits = found.reduce((sum, value, at) => (value > median ? sum | (1n << BigInt(at)) : sum), 0n)
    expect(phashOf(image)).toBe(bits.toString(16).padStart(16, '0'))
  }
})

it('pHash of any size has 16 characters, half of the bits set', () => {
  for (const [width, height] of [
    [1, 1],
    [1, 900],
    [900, 1],
    [3, 2],
    [640, 480],
  ] as const)
    expect(phashOf(noise(2, width, height))).toMatch(/^[0-9a-f]{16}$/)
  const set = Array.from(phashOf(picture(3, 300, 200))).reduce(
    (sum, digit) => sum + bitsOf(Number.parseInt(digit, 16)),
    0,
  )
  expect(set).toBe(32)
  expect(() => phashOf({ ...plain(3, 3), width: 4 })).toThrow(RangeError)
})

const bitsOf = (nibble: number) => [1, 2, 4, 8].filter((bit) => nibble & bit).length
