import type { Frame, Pixels } from '#fingerprint/images'
import { checkCall } from '../arguments/check.ts'

/**
 * The pixels of an image file or a picture of the page, as the browser decodes them: turned as its EXIF data says. Two
 * browsers may decode a file to slightly different pixels, which move its fingerprint by a few bits. Throws a
 * `DOMException` if the file is not an image.
 */
export async function pixelsOf(image: Blob | ImageBitmapSource): Promise<Pixels> {
  checkCall('pixelsOf', [image], ['image'])
  const bitmap = await createImageBitmap(image, { colorSpaceConversion: 'default', premultiplyAlpha: 'none' })
  try {
    const context = contextOf(bitmap.width, bitmap.height)
    context.drawImage(bitmap, 0, 0)
    return context.getImageData(0, 0, bitmap.width, bitmap.height)
  } finally {
    bitmap.close()
  }
}

export interface FrameOptions {
  /** Time between frames, ms. Default 1,000. */
  readonly everyMs?: number
  /** The longer side that frames are scaled to, pixels. Default 512, ample for fingerprints. */
  readonly maxSide?: number
}

/**
 * Frames of a video at a fixed interval, from its start to its end. Seeks in the element, so give it one that nobody is
 * watching. Works without a known duration, as recordings of the browser have none.
 */
export async function* framesOf(video: HTMLVideoElement, options: FrameOptions = {}): AsyncGenerator<Frame> {
  checkCall('framesOf', [video, options], ['video', ['options?', { everyMs: 0, maxSide: 0 }]])
  const { everyMs = 1000, maxSide = 512 } = options
  if (!(everyMs > 0)) throw new RangeError('everyMs must be more than 0')
  if (video.readyState < HTMLMediaElement.HAVE_CURRENT_DATA) await event(video, 'loadeddata')
  const scale = Math.min(1, maxSide / Math.max(video.videoWidth, video.videoHeight))
  const [width, height] = [video.videoWidth, video.videoHeight].map((side) =>
    Math.max(1, Math.round(side * scale)),
  ) as [number, number]
  const context = contextOf(width, height)
  for (let atMs = 0; ; atMs += everyMs) {
    if (atMs / 1000 > video.duration) return
    await seek(video, atMs / 1000)
    // Where the duration was unknown, a seek beyond the end stops there.
    if (video.currentTime * 1000 < atMs - 1) return
    context.drawImage(video, 0, 0, width, height)
    yield { atMs, pixels: context.getImageData(0, 0, width, height) }
  }
}

function contextOf(width: number, height: number): OffscreenCanvasRenderingContext2D {
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
  if (!context) throw new Error('This browser has no canvas for an image of this size')
  return context
}

async function seek(video: HTMLVideoElement, seconds: number): Promise<void> {
  if (video.currentTime === seconds) return
  const seeked = event(video, 'seeked')
  video.currentTime = seconds
  await seeked
}

function event(video: HTMLVideoElement, name: 'loadeddata' | 'seeked'): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = new AbortController()
    const { signal } = ended
    const settle = (after: () => void) => () => {
      ended.abort()
      after()
    }
    video.addEventListener(name, settle(resolve), { signal })
    video.addEventListener(
      'error',
      settle(() => reject(new Error(video.error?.message || 'The browser cannot play the video'))),
      { signal },
    )
  })
}
