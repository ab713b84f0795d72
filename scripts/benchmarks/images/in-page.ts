/** Runs in a page of Chromium: its canvas decodes, encodes and scales as applications' do. */
import {
  fingerprintImage,
  fingerprintOrientations,
  hammingDistance,
  type ImageFingerprint,
  type Pixels,
  packVector,
} from '@svc/fingerprint/images'
import { EDITS, type Image, TURNS } from './edits.ts'
import { blank, KINDS } from './pictures.ts'

export interface Trials {
  /** Distances to the original, by edit. */
  readonly edits: Readonly<Record<string, number[]>>
  /** Of every two different images. */
  readonly unrelated: number[]
  readonly qualities: number[]
}

const [WIDTH, HEIGHT] = [640, 480]

/** So many pictures of each kind, and what becomes of them. */
export async function trials(count: number): Promise<Trials> {
  const images = Object.values(KINDS).flatMap((paint) =>
    Array.from({ length: count }, (_, i) => paint(i + 1, WIDTH, HEIGHT)),
  )
  return measured(images)
}

export async function measured(images: readonly Image[]): Promise<Trials> {
  const originals = images.map((image) => fingerprintImage(pixelsOf(image)))
  const edits: Record<string, number[]> = {}
  const add = (name: string, apart: number) => {
    edits[name] = [...(edits[name] ?? []), apart]
  }
  for (const [i, image] of images.entries()) {
    const original = originals[i]!
    for (const [name, edit] of Object.entries(EDITS))
      add(name, distance(original, fingerprintImage(pixelsOf(await edit(image)))))
    for (const [name, turn] of Object.entries(TURNS)) {
      const all = Object.values(fingerprintOrientations(pixelsOf(await turn(image))))
      add(name, Math.min(...all.map((one) => distance(original, one))))
    }
  }
  const unrelated = originals.flatMap((one, i) => originals.slice(i + 1).map((other) => distance(one, other)))
  return { edits, unrelated, qualities: originals.map(({ quality }) => quality) }
}

/** An image file, decoded by the browser without regard to EXIF turns, as the published hashes were. */
export async function fileOf(base64: string): Promise<ImageBitmap> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  return createImageBitmap(new Blob([bytes]), { imageOrientation: 'none' })
}

export async function hashOf(base64: string): Promise<{ hex: string; quality: number }> {
  const { hex, quality } = fingerprintImage(pixelsOf(await fileOf(base64)))
  return { hex, quality }
}

function pixelsOf(image: Image): Pixels {
  const { width, height } = image
  const { context } = blank(width, height)
  context.drawImage(image, 0, 0)
  return context.getImageData(0, 0, width, height)
}

function distance(one: ImageFingerprint, other: ImageFingerprint): number {
  return hammingDistance(packVector(one.values), packVector(other.values))
}
