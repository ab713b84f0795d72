import { DIMENSIONS, type Sign } from '../projection.ts'
import { lowFrequencies } from './frequencies.ts'
import { hexOf } from './hex.ts'
import { type Pixels, requirePixels } from './pixels.ts'
import { reduced } from './reduce.ts'

const SIDE = 64
const COUNT = 16
/** A side shorter than this has no hash, as in the reference implementation. */
const MIN_SIDE = 5
const MAX_QUALITY = 100
/** Makes detailed images reach the highest quality. Chosen by the authors of PDQ. */
const QUALITY_SCALE = 90

/** The authors of PDQ recommend that hashes below this quality be discarded: the image has too little detail. */
export const MIN_QUALITY = 50
/** The authors of PDQ recommend that images within this distance be taken for copies. Unrelated ones are at about 128. */
export const IMAGE_MATCH_DISTANCE = 31

/** The PDQ hash of an image. */
export interface ImageFingerprint {
  /** 256 values of 1 or -1, for searches. Value 16 · i + j is bit 16 · i + j of the hash: row i, column j. */
  readonly values: readonly Sign[]
  /** The 64 characters in which others write the same hash: the bits from 255 to 0. */
  readonly hex: string
  /** 0 to 100: how much detail the image has. Below `MIN_QUALITY`, unrelated images can have near hashes. */
  readonly quality: number
}

/** How an image may have been turned or mirrored, named as in the reference implementation. Turns are counter-clockwise. */
export type Orientation = (typeof ORIENTATIONS)[number]
export const ORIENTATIONS = [
  'original',
  'rotate90',
  'rotate180',
  'rotate270',
  'flipX',
  'flipY',
  'flipPlus1',
  'flipMinus1',
] as const

interface Change {
  /** Rows become columns. */
  readonly isTransposed?: boolean
  /** Then top and bottom, or left and right, are exchanged, which negates every odd frequency in that direction. */
  readonly isUpsideDown?: boolean
  readonly isMirrored?: boolean
}
const CHANGES: Readonly<Record<Orientation, Change>> = {
  original: {},
  rotate90: { isTransposed: true, isUpsideDown: true },
  rotate180: { isUpsideDown: true, isMirrored: true },
  rotate270: { isTransposed: true, isMirrored: true },
  flipX: { isUpsideDown: true },
  flipY: { isMirrored: true },
  flipPlus1: { isTransposed: true },
  flipMinus1: { isTransposed: true, isUpsideDown: true, isMirrored: true },
}

/**
 * The PDQ hash of an image: near for recompressed, resized and lightly edited copies. Same bits in every engine for the
 * same pixels; decoders differ in the pixels that they make of one file. An image with a side of fewer than 5 pixels has
 * a hash of zeros and the quality 0. Throws a RangeError if `data` does not fit `width` and `height`.
 */
export function fingerprintImage(pixels: Pixels): ImageFingerprint {
  const { quality, frequencies } = analyse(pixels)
  return { ...hashOf(frequencies), quality }
}

/**
 * The hashes that the image would have after each of the eight turns and reflections, for little more than the price of
 * one. They are near those of images really turned, not equal, because sampling is not symmetric.
 */
export function fingerprintOrientations(pixels: Pixels): Readonly<Record<Orientation, ImageFingerprint>> {
  const { quality, frequencies } = analyse(pixels)
  const entries = ORIENTATIONS.map((orientation) => [
    orientation,
    { ...hashOf(changed(frequencies, CHANGES[orientation])), quality },
  ])
  return Object.fromEntries(entries) as Record<Orientation, ImageFingerprint>
}

/** Exported for tests: what follows from the 64 by 64 luminance. */
export function fingerprintSquare(square: Float32Array): ImageFingerprint {
  return { ...hashOf(lowFrequencies(square, SIDE, COUNT)), quality: qualityOf(square) }
}

function analyse(pixels: Pixels): { quality: number; frequencies: Float32Array } {
  requirePixels(pixels)
  if (Math.min(pixels.width, pixels.height) < MIN_SIDE) return { quality: 0, frequencies: new Float32Array(DIMENSIONS) }
  const square = reduced(pixels, SIDE)
  return { quality: qualityOf(square), frequencies: lowFrequencies(square, SIDE, COUNT) }
}

/** Bits are set where the frequency is stronger than the median, the lower of the two in the middle. */
function hashOf(frequencies: Float32Array): { values: Sign[]; hex: string } {
  const median = frequencies.toSorted()[DIMENSIONS / 2 - 1]!
  const values = Array.from(frequencies, (value): Sign => (value > median ? 1 : -1))
  return { values, hex: hexOf(values) }
}

function changed(frequencies: Float32Array, { isTransposed, isUpsideDown, isMirrored }: Change): Float32Array {
  return frequencies.map((_, at) => {
    const [row, column] = [Math.floor(at / COUNT), at % COUNT]
    const value = isTransposed ? frequencies[column * COUNT + row]! : frequencies[at]!
    // Row and column 0 hold frequency 1.
    const isNegated = (isUpsideDown === true && row % 2 === 0) !== (isMirrored === true && column % 2 === 0)
    return isNegated ? -value : value
  })
}

/** Steps between neighbours in hundredths of the range, small ones left out, so that only clear edges count. */
function qualityOf(square: Float32Array): number {
  let sum = 0
  for (let at = 0; at < square.length; at++) {
    if (at + SIDE < square.length) sum += stepOf(square[at]!, square[at + SIDE]!)
    if (at % SIDE < SIDE - 1) sum += stepOf(square[at]!, square[at + 1]!)
  }
  return Math.min(MAX_QUALITY, Math.floor(sum / QUALITY_SCALE))
}

function stepOf(one: number, other: number): number {
  const hundredfold = Math.fround(Math.fround(one - other) * 100)
  return Math.abs(Math.trunc(Math.fround(hundredfold / 255)))
}
