import type { Sign } from '../projection.ts'
import { lowFrequencies } from './frequencies.ts'
import { hexOf } from './hex.ts'
import { luminanceAt, type Pixels, requirePixels } from './pixels.ts'

const SIDE = 32
const COUNT = 8
/** The mean is over 7 by 7 pixels. */
const REACH = 3

/**
 * The 64-bit pHash of an image after Zauner (2010): the mean of 7 by 7 pixels, 32 by 32 samples, their 8 by 8 lowest
 * frequencies without frequency 0, and a bit for each that is above the median. 16 hex characters, the last bit first.
 * For records and comparisons with others; searches take PDQ, which has four times as many bits.
 */
export function phashOf(pixels: Pixels): string {
  requirePixels(pixels)
  const { width, height } = pixels
  const square = Float32Array.from({ length: SIDE * SIDE }, (_, at) =>
    meanAround(pixels, Math.floor(((at % SIDE) * width) / SIDE), Math.floor((Math.floor(at / SIDE) * height) / SIDE)),
  )
  const frequencies = lowFrequencies(square, SIDE, COUNT)
  const sorted = frequencies.toSorted()
  const median = (sorted[(COUNT * COUNT) / 2 - 1]! + sorted[(COUNT * COUNT) / 2]!) / 2
  return hexOf(Array.from(frequencies, (value): Sign => (value > median ? 1 : -1)))
}

/** Beyond the edge, the pixel on the edge counts. */
function meanAround(pixels: Pixels, x: number, y: number): number {
  let sum = 0
  for (let dy = -REACH; dy <= REACH; dy++)
    for (let dx = -REACH; dx <= REACH; dx++)
      sum += luminanceAt(pixels, within(x + dx, pixels.width), within(y + dy, pixels.height))
  return sum / (2 * REACH + 1) ** 2
}

function within(at: number, length: number): number {
  return Math.min(Math.max(at, 0), length - 1)
}
