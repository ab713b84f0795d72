import { type Fingerprint, fingerprintText, packVector, toTextQuery, toTextRegistration } from '@svc/fingerprint'
import { hashHex } from '@svc/protocol/hash'
import { type Keypoints, keypointsSchema, type ModelManifest, modelManifestSchema } from '@svc/protocol/model-files'
import {
  type TextMatches,
  type TextRegistered,
  textMatchesSchema,
  textRegisteredSchema,
} from '@svc/protocol/text-assets'
import { type MediaService, type VectorMatches, vectorMatchesSchema } from '@svc/protocol/vector-search'
import { VECTOR_RULES } from '@svc/protocol/vector-services'
import type { Transport } from './transport.ts'

/** What a search for images and videos looks for. `video-fragment` asks which videos have a clip. */
export type MediaSearch = MediaService | 'video-fragment'

/**
 * The id under which a text is registered unless told: `text-` and the first 16 bytes of SHA3-384 over the packed vectors
 * of its chunks, one behind the other. The same text has the same id, whoever registers it.
 */
export function textAssetIdOf({ chunks }: Pick<Fingerprint, 'chunks'>): string {
  const packed = chunks.map(({ values }) => packVector(values))
  const joined = new Uint8Array(packed.length * 32)
  for (const [i, vector] of packed.entries()) joined.set(vector, i * 32)
  return `text-${hashHex(joined).slice(0, 32)}`
}

/** Registration and search by vectors, and the files that go with them (document 2 sections 2.2 and 4.1). */
export class Similarity {
  readonly #transport: Transport
  readonly #origin: string
  /** With a credential each search has the limit of its identity; without one that of its address. */
  readonly #audience: { readonly audience?: string }

  constructor(transport: Transport, provenance: string, hasOwner: boolean) {
    this.#transport = transport
    this.#origin = provenance
    this.#audience = hasOwner ? { audience: 'provenance' } : {}
  }

  /**
   * Makes the fingerprint of the text here and registers it: 256 signs for about every 20 words, and no prose. Costs one
   * unit of `capsule`; a text that is registered already costs nothing and answers `duplicate`. A RangeError for fewer
   * than 5 words or more than 5,000 chunks; `quota_exhausted` when the tier allows no more. With `registration_pending`
   * somebody else is registering the same asset at this moment: ask again.
   */
  async registerText(text: string, options: { readonly assetId?: string } = {}): Promise<TextRegistered> {
    const fingerprint = fingerprintText(text)
    const assetId = options.assetId ?? textAssetIdOf(fingerprint)
    const body = { asset_id: assetId, ...toTextRegistration(fingerprint) }
    const call = { method: 'POST', url: `${this.#origin}/api/register/text`, audience: 'provenance', body } as const
    const registered = await this.#transport.json(call, textRegisteredSchema)
    if (registered.asset_id !== assetId) throw new Error('another text was registered')
    return registered
  }

  /**
   * Registered texts that share passages with this one, the best first: scores and containments from 0 to 1, word spans
   * of the registered text. Of a text of more than 100 chunks (about 2,000 words) a hundred are sent, evenly chosen; take
   * parts of a longer one apart to search all of it.
   */
  async searchText(text: string): Promise<TextMatches> {
    const query = toTextQuery(fingerprintText(text))
    const vectors = evenly(query.vectors, VECTOR_RULES.text.maxQueryVectors)
    return this.#transport.data(this.#search('/api/query/text', { ...query, vectors }), textMatchesSchema)
  }

  /**
   * Images or videos whose vectors are like these: arrays of 256 of 1 and -1, which the caller’s model makes. `limit` of
   * 1 to 20 assets, 10 unless told.
   */
  search(
    kind: MediaSearch,
    vectors: readonly (readonly number[])[],
    options: { readonly limit?: number } = {},
  ): Promise<VectorMatches> {
    const path = kind === 'video-fragment' ? '/api/search/video/fragment' : `/api/search/${kind}`
    return this.#transport.data(this.#search(path, { vectors, ...options }), vectorMatchesSchema)
  }

  /** Keeps a keypoint blob of at most 512 KiB under its SHA3-384. Anybody may fetch it; encrypt what nobody should read. */
  async uploadKeypoints(blob: Uint8Array): Promise<Keypoints> {
    const hash = hashHex(blob)
    const url = `${this.#origin}/api/keypoints/upload?hash=${hash}`
    const kept = await this.#transport.data(
      { method: 'POST', url, audience: 'provenance', bytes: blob },
      keypointsSchema,
    )
    if (kept.hash !== hash) throw new Error('another blob was kept')
    return kept
  }

  /** The blob of a hash. Throws when what comes is another. */
  keypoints(hash: string): Promise<Uint8Array> {
    return this.#pinned(`/keypoints/${hash}.akpb`, hash)
  }

  /** The model artefacts of the deployment. */
  models(): Promise<ModelManifest> {
    return this.#transport.json({ method: 'GET', url: `${this.#origin}/models/manifest.json` }, modelManifestSchema)
  }

  /** One artefact of the manifest. Throws when it is not what the manifest pins. */
  model({ file, sha3_384 }: ModelManifest['artefacts'][number]): Promise<Uint8Array> {
    return this.#pinned(`/models/${file}`, sha3_384)
  }

  #search(path: string, body: unknown) {
    return { method: 'POST', url: this.#origin + path, ...this.#audience, body } as const
  }

  async #pinned(path: string, hash: string): Promise<Uint8Array> {
    const response = await this.#transport.send({ method: 'GET', url: this.#origin + path })
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (hashHex(bytes) !== hash) throw new Error('the file is not the one that was asked for')
    return bytes
  }
}

/** At most `count` of them, with the first and the last. */
function evenly<T>(items: readonly T[], count: number): readonly T[] {
  if (items.length <= count) return items
  return Array.from({ length: count }, (_, i) => items[Math.round((i * (items.length - 1)) / (count - 1))]!)
}
