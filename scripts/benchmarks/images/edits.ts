/** What happens to images on their way. Each edit makes another image of one. */
import { blank } from './pictures.ts'

export type Image = OffscreenCanvas | ImageBitmap
export type Edit = (image: Image) => Image | Promise<Image>
type Context = OffscreenCanvasRenderingContext2D

/** Paints on a copy of the image. */
const painted =
  (paint: (context: Context, width: number, height: number, image: Image) => void): Edit =>
  (image) => {
    const { width, height } = image
    const { canvas, context } = blank(width, height)
    context.drawImage(image, 0, 0)
    paint(context, width, height, image)
    return canvas
  }

const recompressed =
  (quality: number): Edit =>
  async (image) => {
    const { canvas, context } = blank(image.width, image.height)
    context.drawImage(image, 0, 0)
    return createImageBitmap(await canvas.convertToBlob({ type: 'image/jpeg', quality }))
  }

const resized =
  (across: number, down = across): Edit =>
  (image) => {
    const [width, height] = [Math.round(image.width * across), Math.round(image.height * down)]
    const { canvas, context } = blank(width, height)
    context.imageSmoothingQuality = 'high'
    context.drawImage(image, 0, 0, width, height)
    return canvas
  }

/** This share is cut off each of the four sides. */
const cropped =
  (share: number): Edit =>
  (image) => {
    const [left, top] = [Math.round(image.width * share), Math.round(image.height * share)]
    const { canvas, context } = blank(image.width - 2 * left, image.height - 2 * top)
    context.drawImage(image, -left, -top)
    return canvas
  }

/** The corners that come into view are black, as editors leave them. */
const rotated = (degrees: number): Edit =>
  painted((context, width, height, image) => {
    context.fillStyle = 'black'
    context.fillRect(0, 0, width, height)
    context.translate(width / 2, height / 2)
    context.rotate((degrees * Math.PI) / 180)
    context.drawImage(image, -width / 2, -height / 2)
  })

const filtered = (filter: string): Edit =>
  painted((context, _width, _height, image) => {
    context.filter = filter
    context.drawImage(image, 0, 0)
  })

const bordered =
  (share: number): Edit =>
  (image) => {
    const [left, top] = [Math.round(image.width * share), Math.round(image.height * share)]
    const { canvas, context } = blank(image.width + 2 * left, image.height + 2 * top)
    context.drawImage(image, left, top)
    return canvas
  }

export const EDITS: Readonly<Record<string, Edit>> = {
  'JPEG, quality 90': recompressed(0.9),
  'JPEG, quality 50': recompressed(0.5),
  'JPEG, quality 20': recompressed(0.2),
  'JPEG, quality 5': recompressed(0.05),
  'half the size': resized(0.5),
  'a quarter of the size': resized(0.25),
  'an eighth of the size': resized(0.125),
  'twice the size': resized(2),
  'stretched to a square': resized(0.75, 1),
  'cropped by 1 % on each side': cropped(0.01),
  'cropped by 2 % on each side': cropped(0.02),
  'cropped by 5 % on each side': cropped(0.05),
  'cropped by 10 % on each side': cropped(0.1),
  'rotated by 1°': rotated(1),
  'rotated by 2°': rotated(2),
  'rotated by 4°': rotated(4),
  'rotated by 8°': rotated(8),
  'a white border of 5 %': bordered(0.05),
  'a word in the corner': painted((context, width, height) => {
    context.fillStyle = 'rgb(0 0 0 / 0.78)'
    context.font = `${Math.round(width * 0.08)}px sans-serif`
    context.fillText('TEXT', height * 0.05, height * 0.95)
  }),
  'a pale word across': painted((context, width, height) => {
    context.fillStyle = 'rgb(255 255 255 / 0.4)'
    context.font = `bold ${Math.round(width * 0.16)}px sans-serif`
    context.fillText('SAMPLE', width * 0.12, height * 0.58)
  }),
  'a caption over the lowest 10 %': painted((context, width, height) => {
    context.fillStyle = 'black'
    context.fillRect(0, height * 0.9, width, height * 0.1)
    context.fillStyle = 'white'
    context.font = `${Math.round(height * 0.06)}px sans-serif`
    context.fillText('When you see it', width * 0.1, height * 0.97)
  }),
  'a tenth of the width covered': painted((context, width, height) => {
    context.fillStyle = 'orange'
    context.fillRect(width * 0.62, height * 0.3, width * 0.1, width * 0.1)
  }),
  'blurred by 2 pixels': filtered('blur(2px)'),
  'darker by 30 %': filtered('brightness(0.7)'),
  'contrast up by half': filtered('contrast(1.5)'),
  grey: filtered('grayscale(1)'),
  noise: painted((context, width, height) => {
    const image = context.getImageData(0, 0, width, height)
    let state = 1
    for (let at = 0; at < image.data.length; at++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
      if (at % 4 < 3) image.data[at] = (image.data[at] ?? 0) + ((state >> 26) | 0)
    }
    context.putImageData(image, 0, 0)
  }),
}

/** Searched for in all eight orientations. */
export const TURNS: Readonly<Record<string, Edit>> = {
  mirrored: painted((context, width, _height, image) => {
    context.translate(width, 0)
    context.scale(-1, 1)
    context.drawImage(image, 0, 0)
  }),
  'rotated by 90°': (image) => {
    const { canvas, context } = blank(image.height, image.width)
    context.translate(image.height, 0)
    context.rotate(Math.PI / 2)
    context.drawImage(image, 0, 0)
    return canvas
  },
}
