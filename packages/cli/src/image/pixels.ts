import { usage } from '../cli-error.ts'
import type { Context } from '../context.ts'

export interface Picture {
  readonly file: Uint8Array
  readonly mime: 'image/png' | 'image/jpeg'
  readonly pixels: { readonly data: Uint8Array; readonly width: number; readonly height: number }
}

/** A decoder allocates what a header claims. */
const MAX_MEGAPIXELS = 100
const MAX_PIXELS = MAX_MEGAPIXELS * 1_000_000

/** Reads and decodes a PNG or a JPEG. The content decides which it is. */
export async function pictureIn(context: Context, name: string): Promise<Picture> {
  const file = await context.read(name)
  const mime = mimeOf(file)
  if (mime === null)
    throw usage(`${name} is neither a PNG nor a JPEG`, 'convert it, such as with: magick picture.webp picture.png')
  try {
    return { file, mime, pixels: mime === 'image/png' ? await fromPng(file) : await fromJpeg(file) }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw usage(`${name} cannot be decoded: ${why}`, 'check that the file is whole, or convert it again')
  }
}

function mimeOf(file: Uint8Array): Picture['mime'] | null {
  if (startsWith(file, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png'
  return startsWith(file, [0xff, 0xd8, 0xff]) ? 'image/jpeg' : null
}

function startsWith(file: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, at) => file[at] === byte)
}

async function fromPng(file: Uint8Array): Promise<Picture['pixels']> {
  const header = new DataView(file.buffer, file.byteOffset, file.byteLength)
  if (header.getUint32(16) * header.getUint32(20) > MAX_PIXELS)
    throw new RangeError(`it has more than ${MAX_MEGAPIXELS} megapixels`)
  const { PNG } = namesOf(await import('pngjs'))
  const { data, width, height } = PNG.sync.read(Buffer.from(file))
  return { data, width, height }
}

async function fromJpeg(file: Uint8Array): Promise<Picture['pixels']> {
  const { decode } = namesOf(await import('jpeg-js'))
  return decode(file, { useTArray: true, formatAsRGBA: true, maxResolutionInMP: MAX_MEGAPIXELS })
}

/** In a bundle, a CommonJS module has nothing but a default export. */
function namesOf<T extends object>(loaded: T): T {
  return (loaded as { readonly default?: T }).default ?? loaded
}
