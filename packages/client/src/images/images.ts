/**
 * Images and videos by the fingerprints of `@svc/fingerprint/images`: register what you made, and find copies of it.
 * Only the fingerprints are sent.
 *
 * @module
 */

export {
  type Frame,
  IMAGE_MATCH_DISTANCE,
  type ImageFingerprint,
  MIN_QUALITY,
  type Orientation,
  type Pixels,
  type SampledFrame,
} from '#fingerprint/images'
export { fingerprintImage, phashOf, sampleFrames, thumbnailOf } from './fingerprints.ts'
export { type ImageMatch, type ImageSearchOptions, registerImage, searchImage } from './image.ts'
export { signsOf } from './signs.ts'
export { registerVideo, searchVideo, type VideoMatch, type VideoSearchOptions } from './video.ts'
