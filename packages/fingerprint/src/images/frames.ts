import type { Sign } from '../projection.ts'
import { hammingDistance, packVector } from '../vector.ts'
import { fingerprintImage, IMAGE_MATCH_DISTANCE, MIN_QUALITY } from './pdq.ts'
import type { Pixels } from './pixels.ts'

/** A picture of a video, and when it is shown. */
export interface Frame {
  readonly atMs: number
  readonly pixels: Pixels
}

/** The fingerprint of a frame. */
export interface SampledFrame {
  readonly atMs: number
  readonly values: readonly Sign[]
}

export interface SampleOptions {
  /** How many frames to keep at most, evenly over the video. Default 1,000, the most of a registration. */
  readonly maxFrames?: number
}

const MAX_FRAMES = 1000

/**
 * The frames of a video that a search needs: without those of too little detail, and without a frame that is a copy of
 * the last one kept. A copy of the frame left out is still found: it is within 31 of that frame, which is within 31 of
 * the one kept, and frames match within 64.
 */
export async function sampleFrames(
  frames: Iterable<Frame> | AsyncIterable<Frame>,
  { maxFrames = MAX_FRAMES }: SampleOptions = {},
): Promise<SampledFrame[]> {
  const kept: SampledFrame[] = []
  let last: Uint8Array | undefined
  for await (const { atMs, pixels } of frames) {
    const { values, quality } = fingerprintImage(pixels)
    if (quality < MIN_QUALITY) continue
    const packed = packVector(values)
    if (last && hammingDistance(last, packed) <= IMAGE_MATCH_DISTANCE) continue
    last = packed
    kept.push({ atMs, values })
  }
  return evenly(kept, maxFrames)
}

/** At most `count` of them, including the first and, if there is room for two, the last. */
export function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items]
  const step = count > 1 ? (items.length - 1) / (count - 1) : 0
  return Array.from({ length: count }, (_, i) => items[Math.round(i * step)]!)
}
