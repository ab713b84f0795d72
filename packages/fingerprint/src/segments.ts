import { LETTER } from './characters.ts'
import { join, mix } from './hash.ts'
import type { Words } from './words.ts'

/** Half the width of the window whose least value is a boundary: 10 words, or 20 ideographs, or 40 Thai characters. */
const RADIUS = 40
/** No segment has more mass. */
export const MAX_SEGMENT_MASS = 4 * RADIUS

/**
 * Where the text is cut, by what is written there: first words of segments, and `count` at the end.
 *
 * A boundary is a word whose value is the least within RADIUS on both sides. Whatever is inserted or taken away
 * further off leaves it where it is. Segments that would be too long (repetitions have no least value) are cut by the
 * words within them alone, so that nothing reaches over a boundary.
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

/** Common words stand behind all others: they would cut every text alike. */
function boundaryValues({ count, hash, kind }: Words, common: Uint8Array): Uint32Array {
  const value = new Uint32Array(count)
  for (let i = 0; i < count; i++) {
    const own = hash[i]!
    if (kind[i] !== LETTER) value[i] = mix(join(join(~2, own), i + 1 < count ? hash[i + 1]! : 0))
    else value[i] = common[i] ? mix(~own) | 0x80000000 : mix(~own)
  }
  return value
}

/** The words after the first whose value is the least around them, the leftmost of equals: a sliding minimum. */
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

/** The least value between one and three RADIUS after `start`. What is cut is longer than four. */
function leastBetween({ position }: Words, value: Uint32Array, start: number): number {
  let least = -1
  for (let i = start + 1; position[i]! <= position[start]! + 3 * RADIUS; i++) {
    if (position[i]! < position[start]! + RADIUS) continue
    if (least < 0 || value[i]! < value[least]!) least = i
  }
  return least
}

function massBetween({ position }: Words, from: number, to: number): number {
  return position[to]! - position[from]!
}
