import { luminanceRows, type Pixels } from './pixels.ts'

const { fround } = Math
/** Two box filters in each direction make a tent. */
const PASSES = 2

/**
 * The luminance of an image in a square of `side` by `side` numbers from 0 to 255, row after row: blurred with a tent as
 * wide as two cells, then sampled in the middle of each cell. Works row by row, so an image of any size takes the memory
 * of a few of its rows. Every operation is rounded to single precision, as in the reference implementation of PDQ.
 */
export function reduced(pixels: Pixels, side: number): Float32Array {
  const { width, height } = pixels
  let rows: Iterable<Float32Array> = luminanceRows(pixels)
  // An image of this size is taken as it is: the running sums of a filter would round its numbers.
  if (width !== side || height !== side)
    for (let pass = 0; pass < PASSES; pass++)
      rows = averagedColumns(averagedRows(rows, windowOf(width, side)), { width, height }, windowOf(height, side))
  return sampled(rows, { width, height }, side)
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Half a cell for each pass, rounded up. */
function windowOf(length: number, side: number): number {
  return Math.ceil(length / (2 * side))
}

/** How many values a window has after the one in its middle. Even windows have one more than before it. */
function aheadOf(window: number): number {
  return Math.floor(window / 2)
}

/** Each value becomes the mean of the window around it, which is cut off at the ends of the row. */
function* averagedRows(rows: Iterable<Float32Array>, window: number): Generator<Float32Array> {
  const ahead = aheadOf(window)
  let out = new Float32Array(0)
  for (const row of rows) {
    if (out.length !== row.length) out = new Float32Array(row.length)
    let sum = 0
    let count = 0
    for (let next = 0; next < row.length + ahead; next++) {
      if (next < row.length) {
        sum = fround(sum + row[next]!)
        count += 1
      }
      if (next >= window) {
        sum = fround(sum - row[next - window]!)
        count -= 1
      }
      if (next >= ahead) out[next - ahead] = sum / count
    }
    yield out
  }
}

/** The same along columns: all of them at once, with the last rows in a ring. */
function* averagedColumns(
  rows: Iterable<Float32Array>,
  { width, height }: Size,
  window: number,
): Generator<Float32Array> {
  const ahead = aheadOf(window)
  const ring = Array.from({ length: window }, () => new Float32Array(width))
  const sums = new Float32Array(width)
  const out = new Float32Array(width)
  const incoming = rows[Symbol.iterator]() as Iterator<Float32Array, undefined>
  let count = 0
  for (let next = 0; next < height + ahead; next++) {
    const oldest = ring[next % window]!
    const row = next < height ? incoming.next().value : undefined
    if (row) {
      for (let x = 0; x < width; x++) sums[x]! += row[x]!
      count += 1
    }
    if (next >= window) {
      for (let x = 0; x < width; x++) sums[x]! -= oldest[x]!
      count -= 1
    }
    if (row) oldest.set(row)
    if (next < ahead) continue
    for (let x = 0; x < width; x++) out[x] = sums[x]! / count
    yield out
  }
}

/** The value in the middle of each cell. A side shorter than the square repeats values. */
function sampled(rows: Iterable<Float32Array>, { width, height }: Size, side: number): Float32Array {
  const out = new Float32Array(side * side)
  const middleOf = (cell: number, length: number) => Math.floor(((cell + 0.5) * length) / side)
  let cell = 0
  let y = 0
  for (const row of rows) {
    for (; cell < side && middleOf(cell, height) === y; cell++)
      for (let x = 0; x < side; x++) out[cell * side + x] = row[middleOf(x, width)]!
    y += 1
  }
  return out
}
