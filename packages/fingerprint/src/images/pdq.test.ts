import { describe, expect, it } from 'vitest'
import { hammingDistance, packVector } from '../vector.ts'
import { valuesOf } from './hex.ts'
import { fingerprintImage, fingerprintOrientations, IMAGE_MATCH_DISTANCE, ORIENTATIONS } from './pdq.ts'
import { moved, noise, picture, plain } from './pictures.fixture.ts'
import type { Pixels } from './pixels.ts'
import { PUBLISHED_BRIDGE, REFERENCE_COMMIT, VECTORS } from './reference.fixture.ts'

const made = { picture, noise, plain: (grey: number, width: number, height: number) => plain(width, height, grey) }
const distance = (left: string, right: string) =>
  hammingDistance(packVector(valuesOf(left)), packVector(valuesOf(right)))
const turned = ({ data, width, height }: Pixels): Record<(typeof ORIENTATIONS)[number], Pixels> => {
  const image = { data, width, height }
  const [upright, sideways] = [
    { width, height },
    { width: height, height: width },
  ]
  const [right, bottom] = [width - 1, height - 1]
  return {
    original: image,
    rotate90: moved(image, sideways, (x, y) => [right - y, x]),
    rotate180: moved(image, upright, (x, y) => [right - x, bottom - y]),
    rotate270: moved(image, sideways, (x, y) => [y, bottom - x]),
    flipX: moved(image, upright, (x, y) => [x, bottom - y]),
    flipY: moved(image, upright, (x, y) => [right - x, y]),
    flipPlus1: moved(image, sideways, (x, y) => [y, x]),
    flipMinus1: moved(image, sideways, (x, y) => [right - y, bottom - x]),
  }
}

describe(`the hash is that of ${REFERENCE_COMMIT}`, () => {
  it.each(VECTORS)('for a $made $seed of $width by $height', (vector) => {
    const pixels = made[vector.made](vector.seed, vector.width, vector.height)
    const { hex, quality, values } = fingerprintImage(pixels)
    expect([hex, quality]).toEqual([vector.hashes[0], vector.quality])
    expect(valuesOf(hex)).toEqual(values)
    const all = fingerprintOrientations(pixels)
    const hashes = ORIENTATIONS.map((orientation) => all[orientation].hex)
    expect(hashes.slice(0, vector.hashes.length)).toEqual(vector.hashes)
  })
})

describe('the eight orientations', () => {
  it('are near the hashes of images that are really turned, and far from each other', () => {
    const image = picture(21, 301, 240)
    const expected = fingerprintOrientations(image)
    for (const [orientation, pixels] of Object.entries(turned(image))) {
      const { hex } = fingerprintImage(pixels)
      for (const name of ORIENTATIONS) {
        const apart = distance(hex, expected[name].hex)
        if (name === orientation) expect(apart, orientation).toBeLessThanOrEqual(IMAGE_MATCH_DISTANCE)
        else expect(apart, `${orientation} as ${name}`).toBeGreaterThan(64)
      }
    }
  })

  it('have the conventions of the published hashes', () => {
    // Signs stand for the frequencies, which are not published. The median of each orientation is nearly the same, 0.
    const signs = valuesOf(PUBLISHED_BRIDGE[0]!)
    const at = (row: number, column: number) => signs[16 * row + column]!
    const odd = (place: number) => (place % 2 === 0 ? -1 : 1)
    const changes: ((row: number, column: number) => number)[] = [
      at,
      (row, column) => at(column, row) * odd(row),
      (row, column) => at(row, column) * odd(row) * odd(column),
      (row, column) => at(column, row) * odd(column),
      (row, column) => at(row, column) * odd(row),
      (row, column) => at(row, column) * odd(column),
      (row, column) => at(column, row),
      (row, column) => at(column, row) * odd(row) * odd(column),
    ]
    changes.forEach((change, i) => {
      const values = signs.map((_, place) => change(Math.floor(place / 16), place % 16))
      const apart = hammingDistance(packVector(values), packVector(valuesOf(PUBLISHED_BRIDGE[i]!)))
      expect(apart, ORIENTATIONS[i]).toBeLessThanOrEqual(24)
    })
  })

  it('of a turned image are those of the image, in another order', () => {
    const image = picture(22, 192, 192)
    const [before, after] = [fingerprintOrientations(image), fingerprintOrientations(turned(image).rotate90)]
    const places = {
      original: 'rotate90',
      rotate90: 'rotate180',
      rotate180: 'rotate270',
      rotate270: 'original',
    } as const
    for (const [then, now] of Object.entries(places))
      expect(distance(after[then as 'original'].hex, before[now].hex), then).toBeLessThanOrEqual(IMAGE_MATCH_DISTANCE)
  })
})

describe('copies', () => {
  const image = picture(31, 400, 300)
  const { hex } = fingerprintImage(image)

  it('in other sizes are near', () => {
    for (const [width, height] of [
      [200, 150],
      [160, 120],
      [800, 600],
      [300, 300],
    ] as const)
      expect(distance(hex, fingerprintImage(picture(31, width, height)).hex)).toBeLessThanOrEqual(IMAGE_MATCH_DISTANCE)
  })

  it('that are darker, or of less contrast, are near', () => {
    const darker = { ...image, data: image.data.map((value, at) => (at % 4 === 3 ? value : Math.floor(value * 0.7))) }
    const fainter = { ...image, data: image.data.map((value, at) => (at % 4 === 3 ? value : 90 + (value >> 2))) }
    for (const copy of [darker, fainter])
      expect(distance(hex, fingerprintImage(copy).hex)).toBeLessThanOrEqual(IMAGE_MATCH_DISTANCE)
  })

  it('of others are far', () => {
    for (let seed = 32; seed < 52; seed++)
      expect(distance(hex, fingerprintImage(picture(seed, 160, 120)).hex), `${seed}`).toBeGreaterThan(64)
  })
})

describe('an image of any size', () => {
  it.each([
    [1, 1],
    [1, 5000],
    [5000, 1],
    [4, 4],
    [4, 1000],
  ])('of %i by %i, too small, has a hash of zeros and the quality 0', (width, height) => {
    expect(fingerprintImage(noise(1, width, height))).toMatchObject({ hex: '0'.repeat(64), quality: 0 })
  })

  it('has 256 signs and a quality from 0 to 100', () => {
    for (let seed = 0; seed < 40; seed++) {
      const [width, height] = [5 + ((seed * 37) % 190), 5 + ((seed * 101) % 230)]
      const { values, quality, hex } = fingerprintImage(
        seed % 3 === 0 ? noise(seed, width, height) : picture(seed, width, height),
      )
      expect(values).toHaveLength(256)
      expect(values.every((value) => value === 1 || value === -1)).toBe(true)
      expect(hex).toMatch(/^[0-9a-f]{64}$/)
      expect(Number.isInteger(quality) && quality >= 0 && quality <= 100).toBe(true)
      // The median is exceeded by half of them, unless some are equal.
      expect(values.filter((value) => value === 1).length).toBe(128)
    }
  })

  it('may be long and thin, or large', () => {
    expect(fingerprintImage(picture(5, 9000, 6)).values).toHaveLength(256)
    const large = fingerprintImage(plain(3000, 2000))
    expect(large.quality).toBe(0)
  })

  it('may be transparent: it is seen on white', () => {
    const white = fingerprintImage(plain(80, 80, 255))
    expect(fingerprintImage(plain(80, 80, 0, 0))).toEqual(white)
    const image = picture(7, 100, 100)
    const hidden = { ...image, data: image.data.map((value, at) => (at % 4 === 3 ? 0 : value)) }
    expect(fingerprintImage({ ...hidden, width: 100 })).toEqual(fingerprintImage(plain(100, 100, 255)))
    const faint = { ...image, data: image.data.map((value, at) => (at % 4 === 3 ? 128 : value)) }
    expect(distance(fingerprintImage(faint).hex, fingerprintImage(image).hex)).toBeLessThanOrEqual(IMAGE_MATCH_DISTANCE)
  })

  it('is refused if its bytes do not fit', () => {
    const { data } = plain(10, 10)
    expect(() => fingerprintImage({ data, width: 10, height: 11 })).toThrow('has 440 bytes')
    for (const side of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => fingerprintImage({ data, width: side, height: 10 })).toThrow(RangeError)
  })
})

it('reads a hash in hex, and refuses what is none', () => {
  const values = valuesOf(`${'0'.repeat(63)}1`)
  expect([values[0], values[1], values[255]]).toEqual([1, -1, -1])
  for (const wrong of ['', '0'.repeat(63), '0'.repeat(65), 'G'.repeat(64), 'A'.repeat(64)])
    expect(() => valuesOf(wrong)).toThrow('64 lowercase hex characters')
})
