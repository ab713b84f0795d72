import type { Client } from '@svc/client'
import { registerImage } from '@svc/client/images'
import { textOf } from '@svc/client/text'
import { pixelsIn } from '../content/pixels-in.ts'
import { SaidError } from '../failures/sentences.ts'
import type { Input } from '../verify/input.ts'
import { words } from '../words/capsules/words.ts'

export interface Registration {
  readonly kind: 'capsule' | 'text'
  readonly id: string
  readonly isDuplicate: boolean
  /** Which registration of the file it is; null for texts. */
  readonly position: number | null
  /** Whether a search finds it. */
  readonly isSearchable: boolean
}

/** Registers a picture, a video or a text. Its bytes stay here. */
export async function registerContent({ provenance }: Client, input: Input): Promise<Registration> {
  try {
    if (input.type.startsWith('text/')) return await registerText(provenance, input)
    if (input.type.startsWith('image/')) return await registerPicture(provenance, input)
    if (input.type.startsWith('video/')) return await registerFile(provenance, input, 'video')
  } catch (error) {
    throw isExisting(error) ? new SaidError(words.taken) : error
  }
  throw new SaidError(words.onlyMedia)
}

type Provenance = Client['provenance']

async function registerText(provenance: Provenance, { bytes }: Input): Promise<Registration> {
  try {
    const { asset_id: id, duplicate } = await provenance.registerText(textOf(bytes))
    return { kind: 'text', id, isDuplicate: duplicate, position: null, isSearchable: true }
  } catch (error) {
    throw error instanceof RangeError ? new SaidError(words.tooShort) : error
  }
}

async function registerPicture(provenance: Provenance, input: Input): Promise<Registration> {
  const { bytes, type } = input
  const pixels = await pixelsIn(input)
  try {
    const { assetId, duplicate, position } = await registerImage(provenance, bytes, pixels, { mime: type })
    return { kind: 'capsule', id: assetId, isDuplicate: duplicate, position, isSearchable: true }
  } catch (error) {
    // Too little detail for a fingerprint.
    if (error instanceof RangeError) return registerFile(provenance, input, 'image')
    throw error
  }
}

async function registerFile(provenance: Provenance, { bytes, type }: Input, kind: 'image' | 'video') {
  const signed = await provenance.sign(bytes, { kind, mime: type })
  const { assetId, duplicate, position } = await provenance.register(signed)
  return { kind: 'capsule', id: assetId, isDuplicate: duplicate, position, isSearchable: false } as const
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'error' in error && error.error === 'capsule_exists'
}
