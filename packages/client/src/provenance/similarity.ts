import { hashHexAsync } from '#protocol/base/hash'
import type { TakedownRecord } from '#protocol/operator/takedown'
import {
  type KeypointPage,
  type Keypoints,
  keypointPageSchema,
  keypointsDeletedSchema,
  keypointsSchema,
  type ModelManifest,
  modelManifestSchema,
} from '#protocol/provenance/model-files'
import {
  type TextMatches,
  type TextRegistered,
  textDeletedSchema,
  textMatchesSchema,
  textRegisteredSchema,
} from '#protocol/provenance/text-assets'
import { type MediaService, type VectorMatches, vectorMatchesSchema } from '#protocol/provenance/vector-search'
import { VECTOR_RULES } from '#protocol/provenance/vector-services'
import { readBytes } from '../transport/guarded-body.ts'
import { everyItem } from '../transport/pages.ts'
import { takedownsOf } from '../transport/takedowns.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'

/** What to search images and videos for. `video-fragment` finds videos that contain a clip. */
export type MediaSearch = MediaService | 'video-fragment'

/** Registration and search by vectors, and the related files. */
export class Similarity {
  // As results: see `safely`.
  readonly safeKeypoints = safeTwin(this, 'keypoints')
  readonly safeModel = safeTwin(this, 'model')

  readonly #transport: Transport
  readonly #origin: string
  /** With a credential, searches count towards the limit of the identity; without one, towards that of the address. */
  readonly #audience: { readonly audience?: string }

  constructor(transport: Transport, provenance: string, hasOwner: boolean) {
    this.#transport = transport
    this.#origin = provenance
    this.#audience = hasOwner ? { audience: 'provenance' } : {}
  }

  /**
   * Fingerprints the text here and registers it: 256 signs per about 10 words, no prose. Costs one unit of `capsule`; an
   * already registered text costs nothing and returns `duplicate`. Throws a RangeError for fewer than 5 words or more
   * than 5,000 chunks, `quota_exhausted` if the tier allows no more this month, and `budget_exhausted` if it keeps no more
   * chunks. `registration_pending` means that someone else is registering the same asset right now: retry. Under the
   * default id, this takes the place of anything else that was registered under it. Under another, throws an Error if
   * something else is registered under it, as its counts show.
   */
  async registerText(text: string, options: { readonly assetId?: string } = {}): Promise<TextRegistered> {
    const { registrationOf } = await import('./text-asset-id.ts')
    const body = registrationOf(text, options.assetId)
    const assetId = body.asset_id
    const call = { method: 'POST', url: `${this.#origin}/api/register/text`, audience: 'provenance', body } as const
    const registered = await this.#transport.json(call, textRegisteredSchema)
    const isSame =
      registered.asset_id === assetId &&
      registered.chunk_count === body.chunks.length &&
      registered.word_count === body.word_count
    if (!isSame)
      throw unverified('text', 'different_answer', 'Provenance registered a different text', { evidence: registered })
    return registered
  }

  /**
   * Registered texts that share passages with this one, best first: scores and containments from 0 to 1, word spans of
   * the registered text. For a text of more than 100 chunks (about 1,000 words), a hundred evenly spaced ones are sent;
   * split a longer text to search all of it.
   */
  async searchText(text: string): Promise<TextMatches> {
    // Half of the code of this service, for texts alone.
    const { fingerprintText, toTextQuery } = await import('#fingerprint')
    const query = toTextQuery(fingerprintText(text))
    const vectors = evenly(query.vectors, VECTOR_RULES.text.maxQueryVectors)
    return this.#transport.data(this.#search('/api/query/text', { ...query, vectors }), textMatchesSchema)
  }

  /**
   * Images or videos with similar vectors: arrays of 256 values of 1 or -1, from the caller’s model. `limit` is 1 to 20
   * assets, default 10.
   */
  search(
    kind: MediaSearch,
    vectors: readonly (readonly number[])[],
    options: { readonly limit?: number } = {},
  ): Promise<VectorMatches> {
    const path = kind === 'video-fragment' ? '/api/search/video/fragment' : `/api/search/${kind}`
    return this.#transport.data(this.#search(path, { vectors, ...options }), vectorMatchesSchema)
  }

  /** Deletes this identity's registration of a text. Its vectors go with the last identity that registered it. */
  async deleteText(assetId: string): Promise<void> {
    const url = `${this.#origin}/api/text/${assetId}`
    await this.#transport.data({ method: 'DELETE', url, audience: 'provenance' }, textDeletedSchema)
  }

  /** Stores a keypoint blob of at most 512 KiB under its SHA3-384. Anyone can fetch it; encrypt private data. */
  async uploadKeypoints(blob: Uint8Array): Promise<Keypoints> {
    const hash = await hashHexAsync(blob)
    const url = `${this.#origin}/api/keypoints/upload?hash=${hash}`
    const kept = await this.#transport.data(
      { method: 'POST', url, audience: 'provenance', bytes: blob },
      keypointsSchema,
    )
    if (kept.hash !== hash)
      throw unverified('file', 'different_answer', 'Provenance stored a different blob', { evidence: kept })
    return kept
  }

  /** The blob of a hash. Throws if the service returns another. */
  keypoints(hash: string): Promise<Uint8Array> {
    return this.#pinned(`/keypoints/${hash}.akpb`, hash)
  }

  /** The keypoint blobs of this identity, one page by hash: pass the `cursor` of the last page until it is null, or use `allKeypoints`. */
  myKeypoints(cursor?: string): Promise<KeypointPage> {
    const url = `${this.#origin}/api/keypoints${cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`}`
    return this.#transport.data({ method: 'GET', url, audience: 'provenance' }, keypointPageSchema)
  }

  /** Every keypoint blob of this identity, by hash. */
  allKeypoints(): AsyncGenerator<KeypointPage['keypoints'][number]> {
    return everyItem(async (cursor) => {
      const page = await this.myKeypoints(cursor)
      return { items: page.keypoints, cursor: page.cursor }
    })
  }

  /** Deletes a keypoint blob of this identity. The bytes go with the last identity that uploaded them. */
  async deleteKeypoints(hash: string): Promise<void> {
    const url = `${this.#origin}/api/keypoints/${hash}`
    await this.#transport.data({ method: 'DELETE', url, audience: 'provenance' }, keypointsDeletedSchema)
  }

  /** Assets and keypoint blobs that the operator took down, oldest first. Needs no identity. */
  takedowns(): AsyncGenerator<TakedownRecord> {
    return takedownsOf(this.#transport, this.#origin)
  }

  /** The model artefacts of the deployment. */
  models(): Promise<ModelManifest> {
    return this.#transport.json({ method: 'GET', url: `${this.#origin}/models/manifest.json` }, modelManifestSchema)
  }

  /** One artefact of the manifest. Throws if it does not match the hash in the manifest. */
  model({ file, sha3_384 }: ModelManifest['artefacts'][number]): Promise<Uint8Array> {
    return this.#pinned(`/models/${file}`, sha3_384)
  }

  #search(path: string, body: unknown) {
    return { method: 'POST', url: this.#origin + path, ...this.#audience, body } as const
  }

  async #pinned(path: string, hash: string): Promise<Uint8Array> {
    const response = await this.#transport.send({ method: 'GET', url: this.#origin + path })
    const bytes = await readBytes(response)
    if ((await hashHexAsync(bytes)) !== hash)
      throw unverified('file', 'hash_mismatch', 'The file does not match its hash')
    return bytes
  }
}

/** At most `count` of them, including the first and the last. */
function evenly<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items
  return Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / (count - 1))]!)
}
