import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import type { TakedownList } from '@svc/service'
import { metered, type Quota, type QuotaRefusal } from '../quota/rules.ts'
import type { VectorSetService } from '../vectors/set-service.ts'
import type { TextRegistration } from './rules.ts'
import type { TextManifest, TextStore } from './store.ts'

export interface Registered extends TextManifest {
  readonly duplicate: boolean
  /** Whether the index has it. If not, it is registered all the same. */
  readonly isIndexed: boolean
}

export type RegistrationRefusal =
  | { readonly reason: 'not_provisioned' | 'pending' }
  | { readonly reason: 'taken_down'; readonly why: TakedownReason }

/** Registers texts: first the vectors, then the unit, then the manifest that makes them visible, then the index. */
export class TextService {
  readonly #texts: TextStore
  readonly #sets: VectorSetService
  readonly #quota: Quota
  readonly #takedowns: TakedownList

  constructor(
    texts: TextStore,
    sets: VectorSetService,
    { quota, takedowns }: { readonly quota: Quota; readonly takedowns: TakedownList },
  ) {
    this.#texts = texts
    this.#sets = sets
    this.#quota = quota
    this.#takedowns = takedowns
  }

  async register(
    did: string,
    registration: TextRegistration,
    now: number,
  ): Promise<Result<Registered, RegistrationRefusal | QuotaRefusal>> {
    if (!this.#sets.indexes.text) return err({ reason: 'not_provisioned' })
    const { assetId } = registration
    const known = await this.#texts.find(assetId)
    if (known) return ok(await this.#indexed(known, true, now))
    const why = await this.#takedowns.reasonFor(assetId)
    if (why !== null) return err({ reason: 'taken_down', why })
    const registered = await metered<TextManifest, RegistrationRefusal>(
      this.#quota,
      { did, key: `text:${assetId}` },
      {
        prepare: async () => ((await this.#claim(registration, did, now)) ? ok(undefined) : err({ reason: 'pending' })),
        complete: async () => {
          const manifest = await this.#texts.register(assetId, did, now)
          return manifest ? ok(manifest) : err({ reason: 'pending' })
        },
      },
    )
    if (registered.ok) return ok(await this.#indexed(registered.value, false, now))
    if (registered.error.reason !== 'pending') return err(registered.error)
    // Another identity has registered it meanwhile, or is about to.
    const raced = await this.#texts.find(assetId)
    return raced ? ok(await this.#indexed(raced, true, now)) : err({ reason: 'pending' })
  }

  async #claim({ assetId, wordCount, places, vectors }: TextRegistration, did: string, now: number): Promise<boolean> {
    const bodyKey = await this.#texts.keep({ places, vectors }, now)
    return this.#texts.claim({ assetId, chunkCount: places.length, wordCount, bodyKey }, did, now)
  }

  async #indexed(manifest: TextManifest, duplicate: boolean, now: number): Promise<Registered> {
    return { ...manifest, duplicate, isIndexed: await this.#sets.index(manifest.assetId, '', now) }
  }
}
