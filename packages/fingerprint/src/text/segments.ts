import { join, mix } from '../hash.ts'
import { LETTER } from './characters.ts'
import type { Words } from './words.ts'

/** Half the width of the window whose minimum is a boundary: 5 words, 10 ideographs, 15 kana or 30 Thai characters. */
const RADIUS = 30
/** Maximum mass of a segment. */
export const MAX_SEGMENT_MASS = 3 * RADIUS

/**
 * Cuts the text at content-defined boundaries. Returns the first word of each segment, and `count` at the end.
 *
 * A boundary is a word whose value is the minimum within RADIUS on both sides, so edits further away do not move it.
 * Segments that would be too long (repetitions have no unique minimum) are cut based only on the words within them, so
 * that nothing has an effect across a boundary.
 */
export function segmentStarts(words: Words, common: Uint8Array): number[] {
  const value = boundaryValues(words, common)
  const starts = [0]
  for (const boundary of [...leastValues(words, value), words.count]) {
    let start = starts[starts.length - 1]!
    while (massBetween(words, start, boundary) > MAX_SEGMENT_MASS) {
      start = leastBetween(words, value, start)
      starts.push(start)
    }
    starts.push(boundary)
  }
  return starts
}

/**
 * Common words rank after all others; otherwise they would cut every text in the same places. The others count by their
 * head, so that fewer typos move a boundary.
 */
function boundaryValues({ count, hash, head, kind }: Words, common: Uint8Array): Uint32Array {
  const value = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const own = hash[i]!
    if (kind[i] !== LETTER) value[i] = mix(join(join(~2, own), i + 1 < count ? hash[i + 1]! : 0))
    else value[i] = common[i] ? mix(~own) | 0x80000000 : mix(~head[i]!)
  }
  return value
}

/** All words but the first whose value is the minimum around them, leftmost of equals: a sliding-window minimum. */
function leastValues({ count, position }: Words, value: Uint32Array): number[] {
  const boundaries: number[] = []
  const queue = new Int32Array(count)
  let head = 0
  let tail = 0
  let next = 0
  for (let i = 0; i < count; i++) {
    for (; next < count && position[next]! <= position[i]! + RADIUS; next++) {
      while (tail > head && value[queue[tail - 1]!]! > value[next]!) tail -= 1
      queue[tail++] = next
    }
    while (position[queue[head]!]! < position[i]! - RADIUS) head += 1
    if (queue[head] === i && i > 0) boundaries.push(i)
  }
  return boundaries
}

/** The word with the minimum value between one and two RADIUS after `start`. The stretch is longer than three. */
function leastBetween({ position }: Words, value: Uint32Array, start: number): number {
  let least = -1
  for (let i = start + 1; position[i]! <= position[start]! + 2 * RADIUS; i++) {
    if (position[i]! < position[start]! + RADIUS) continue
    if (least < 0 || value[i]! < value[least]!) least = i
  }
  return least
}

function massBetween({ position }: Words, from: number, to: number): number {
  return position[to]! - position[from]!
}
