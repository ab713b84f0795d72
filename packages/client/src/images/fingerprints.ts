/**
 * The fingerprints of images and videos.
 *
 * @module
 */
import {
  type Frame,
  phashOf as hashOf,
  type ImageFingerprint,
  type Pixels,
  fingerprintImage as pdqOf,
  type SampledFrame,
  sampleFrames as sampled,
  thumbnailOf as thumbnail,
} from '#fingerprint/images'
import { checkCall } from '../arguments/check.ts'

/**
 * The PDQ hash of an image: near for recompressed, resized and lightly edited copies. Same bits in every engine for the
 * same pixels; decoders differ in the pixels that they make of one file. An image with a side of fewer than 5 pixels has
 * a hash of zeros and the quality 0. Throws a RangeError if `data` does not fit `width` and `height`.
 */
export function fingerprintImage(pixels: Pixels): ImageFingerprint {
  checkCall('fingerprintImage', [pixels], ['pixels'])
  return pdqOf(pixels)
}

/**
 * The 64-bit pHash of an image after Zauner (2010): the mean of 7 by 7 pixels, 32 by 32 samples, their 8 by 8 lowest
 * frequencies without frequency 0, and a bit for each that is above the median. 16 hex characters, the last bit first.
 * For records and comparisons with others; searches take PDQ, which has four times as many bits.
 */
export function phashOf(pixels: Pixels): string {
  checkCall('phashOf', [pixels], ['pixels'])
  return hashOf(pixels)
}

/**
 * The frames of a video that a search needs: without those of too little detail, and without a frame that is a copy of
 * the last one kept. `maxFrames` is how many to keep at most, evenly over the video: by default 1,000, the most of a
 * registration.
 */
export async function sampleFrames(
  frames: Iterable<Frame> | AsyncIterable<Frame>,
  options: { readonly maxFrames?: number } = {},
): Promise<SampledFrame[]> {
  checkCall('sampleFrames', [frames, options], ['frames', ['options?', { maxFrames: 0 }]])
  return sampled(frames, options)
}

/** The luminance of an image in `side` by `side` numbers from 0 to 1, row after row: the input of a small model. */
export function thumbnailOf(pixels: Pixels, side: number): Float32Array {
  checkCall('thumbnailOf', [pixels, side], ['pixels', 'side'])
  return thumbnail(pixels, side)
}
