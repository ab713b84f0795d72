import {
  fingerprintImage,
  fingerprintOrientations,
  IMAGE_MATCH_DISTANCE,
  type ImageFingerprint,
  MIN_QUALITY,
  ORIENTATIONS,
  type Orientation,
  type Pixels,
} from '#fingerprint/images'
import type { RegisteredCapsule } from '#protocol/provenance/capsules'
import { MAX_MATCHES } from '#protocol/provenance/vector-services'
import { checkCall, type Members } from '../arguments/check.ts'
import type { CapsuleFacts, Provenance } from '../provenance/provenance.ts'

/** A registered image that looks like the one searched for. */
export interface ImageMatch {
  readonly assetId: string
  /** The identity that registered it. Who is first here is not who made it. */
  readonly did: string
  /** In how many of 256 bits the hashes differ. */
  readonly distance: number
  /** How the image searched for was turned or mirrored to match. */
  readonly orientation: Orientation
}

export interface ImageSearchOptions {
  /** How far a match may be. Default 31; the service finds nothing beyond 64. */
  readonly maxDistance?: number
  /** Also finds the original of an image that was mirrored, or turned by a right angle. */
  readonly orientations?: boolean
}

const IMAGE_FACTS: Members<Omit<CapsuleFacts, 'kind' | 'width' | 'height'>> = {
  mime: 1,
  durationMs: 0,
  perceptual: 0,
  keypointsHash: 0,
  metadataHash: 0,
  capturedAt: 0,
}

/**
 * Signs and registers a capsule of an image file that searches find by its PDQ hash, which the capsule states too. `file`
 * is only hashed; `pixels` are its content, decoded. Costs one unit of `capsule`; see `register` for what it throws.
 * Throws a RangeError, and sends nothing, if the image has too little detail for its hash to tell it from others:
 * register it without vectors.
 */
export async function registerImage(
  provenance: Pick<Provenance, 'sign' | 'register'>,
  file: Uint8Array,
  pixels: Pixels,
  facts: Omit<CapsuleFacts, 'kind' | 'width' | 'height'>,
): Promise<RegisteredCapsule> {
  checkCall(
    'registerImage',
    [provenance, file, pixels, facts],
    ['provenance', 'file', 'pixels', ['facts', IMAGE_FACTS]],
  )
  const { values, hex } = detailed(fingerprintImage(pixels))
  const { width, height } = pixels
  const perceptual = { algo: 'pdq' as const, hashes: [hex] }
  const signed = await provenance.sign(file, { perceptual, ...facts, kind: 'image', width, height })
  return provenance.register(signed, { vectors: { fragment: [[...values]] } })
}

/**
 * Registered images that look like this one, the nearest first: at most 20. Finds recompressed, resized and lightly edited
 * copies; a match is a hint to look, not a verdict. Throws a RangeError, and sends nothing, if the image has too little
 * detail.
 */
export async function searchImage(
  provenance: Pick<Provenance, 'search'>,
  pixels: Pixels,
  options: ImageSearchOptions = {},
): Promise<ImageMatch[]> {
  checkCall(
    'searchImage',
    [provenance, pixels, options],
    ['provenance', 'pixels', ['options?', { maxDistance: 0, orientations: 0 }]],
  )
  const { maxDistance = IMAGE_MATCH_DISTANCE, orientations = false } = options
  const names = orientations ? ORIENTATIONS : (['original'] as const)
  const all = orientations ? fingerprintOrientations(pixels) : { original: fingerprintImage(pixels) }
  const queries = names.map((name) => detailed((all as Record<Orientation, ImageFingerprint>)[name]).values)
  const { matches } = await provenance.search('fragment', queries, { limit: MAX_MATCHES })
  return matches
    .flatMap(({ asset_id: assetId, did, vectors }) => {
      const [nearest] = vectors.toSorted((a, b) => a.distance - b.distance)
      const orientation = nearest && names[nearest.query]
      return nearest && orientation ? [{ assetId, did, distance: nearest.distance, orientation }] : []
    })
    .filter(({ distance }) => distance <= maxDistance)
    .toSorted((a, b) => a.distance - b.distance)
}

function detailed(fingerprint: ImageFingerprint): ImageFingerprint {
  if (fingerprint.quality >= MIN_QUALITY) return fingerprint
  throw new RangeError(
    `the image has too little detail to be told from others: quality ${fingerprint.quality}, at least ${MIN_QUALITY} is needed`,
  )
}
