import { type Pixels, requirePixels } from './pixels.ts'
import { reduced } from './reduce.ts'

/** The luminance of an image in `side` by `side` numbers from 0 to 1, row after row: the input of a small model. */
export function thumbnailOf(pixels: Pixels, side: number): Float32Array {
  requirePixels(pixels)
  if (!Number.isSafeInteger(side) || side < 1) throw new RangeError('side must be a whole number of at least 1')
  return reduced(pixels, side).map((value) => value / 255)
}
