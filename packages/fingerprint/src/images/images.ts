/**
 * Fingerprints of images: the PDQ hash, near for copies of an image, and a 64-bit pHash. The image stays on the device.
 *
 * @module
 */

export type { Sign } from '../projection.ts'
export { hammingDistance, packVector, unpackVector } from '../vector.ts'
export { evenly, type Frame, type SampledFrame, type SampleOptions, sampleFrames } from './frames.ts'
export { valuesOf } from './hex.ts'
export {
  fingerprintImage,
  fingerprintOrientations,
  IMAGE_MATCH_DISTANCE,
  type ImageFingerprint,
  MIN_QUALITY,
  ORIENTATIONS,
  type Orientation,
} from './pdq.ts'
export { phashOf } from './phash.ts'
export type { Pixels } from './pixels.ts'
export { thumbnailOf } from './thumbnail.ts'
