/**
 * For browsers: the pixels of images and the frames of videos, for the functions of `@svc/client/images`.
 *
 * @module
 */

export { type FrameOptions, framesOf, pixelsOf } from './pixels.ts'
