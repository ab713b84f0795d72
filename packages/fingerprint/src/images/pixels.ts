/** An image as a canvas gives it: red, green, blue and alpha, one byte each, row after row from the top left. */
export interface Pixels {
  readonly data: Uint8Array | Uint8ClampedArray
  readonly width: number
  readonly height: number
}

const { fround } = Math
/** Rec. 601, as single-precision numbers. */
const RED = /* @__PURE__ */ fround(0.299)
const GREEN = /* @__PURE__ */ fround(0.587)
const BLUE = /* @__PURE__ */ fround(0.114)

/** Throws a RangeError if the bytes are not those of an image of this size. */
export function requirePixels({ data, width, height }: Pixels): void {
  if (!isSide(width) || !isSide(height)) throw new RangeError('width and height must be whole numbers of at least 1')
  if (data.length !== 4 * width * height)
    throw new RangeError(
      `an image of ${width} by ${height} pixels has ${4 * width * height} bytes (red, green, blue, alpha); these are ${data.length}`,
    )
}

/** Luminance, 0 to 255. Transparent pixels are seen on white, as on a page. */
export function luminanceAt({ data, width }: Pixels, x: number, y: number): number {
  const at = 4 * (y * width + x)
  const reds = fround(RED * data[at]!)
  const greens = fround(GREEN * data[at + 1]!)
  const blues = fround(BLUE * data[at + 2]!)
  const luminance = fround(fround(reds + greens) + blues)
  const alpha = data[at + 3]!
  return alpha === 255 ? luminance : fround((luminance * alpha + 255 * (255 - alpha)) / 255)
}

/** The rows of an image as luminance. Each is the same array with new numbers. */
export function* luminanceRows(pixels: Pixels): Generator<Float32Array> {
  const row = new Float32Array(pixels.width)
  for (let y = 0; y < pixels.height; y++) {
    for (let x = 0; x < pixels.width; x++) row[x] = luminanceAt(pixels, x, y)
    yield row
  }
}

function isSide(side: number): boolean {
  return Number.isSafeInteger(side) && side >= 1
}
