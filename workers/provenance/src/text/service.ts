import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import type { TakedownList, VersionedNames } from '@svc/service'
import type { BudgetRefusal, KeptBudget } from '../quota/budget.ts'
import { metered, type Quota, type QuotaRefusal } from '../quota/rules.ts'
import { distinctVectors } from '../vectors/distinct.ts'
import type { VectorSetService } from '../vectors/set-service.ts'
import { PACKED_BYTES } from '../vectors/vector-index.ts'
import type { Claimants } from './claimants.ts'
import type { TextRegistration } from './rules.ts'
import type { TextManifest, TextStore } from './store.ts'

export interface Registered extends TextManifest {
  readonly duplicate: boolean
  /** Whether the index has it. If not, it is registered all the same. */
  readonly isIndexed: boolean
}

export type RegistrationRefusal =
  | { readonly reason: 'not_provisioned' | 'index_full' | 'pending' }
  | { readonly reason: 'taken_down'; readonly why: TakedownReason }

interface Registrant {
  readonly did: string
  /** Its names, the current one first. */
  readonly registrants: VersionedNames
}

export interface TextParts {
  readonly quota: Quota
  readonly budget: KeptBudget
  readonly takedowns: TakedownList
  readonly claimants: Claimants
}

/** Registers texts: first the vectors, then the unit, then the manifest that makes them visible, then the index. */
export class TextService {
  readonly #texts: TextStore
  readonly #sets: VectorSetService
  readonly #quota: Quota
  readonly #budget: KeptBudget
  readonly #takedowns: TakedownList
  readonly #claimants: Claimants

  constructor(texts: TextStore, sets: VectorSetService, { quota, budget, takedowns, claimants }: TextParts) {
    this.#texts = texts
    this.#sets = sets
    this.#quota = quota
    this.#budget = budget
    this.#takedowns = takedowns
    this.#claimants = claimants
  }

  async register(
    did: string,
    registration: TextRegistration,
    now: number,
  ): Promise<Result<Registered, RegistrationRefusal | QuotaRefusal | BudgetRefusal>> {
    if (!this.#sets.indexes.text) return err({ reason: 'not_provisioned' })
    const { assetId, places } = registration
    if (!(await this.#sets.hasRoom({ text: places.length }))) return err({ reason: 'index_full' })
    const known = await this.#texts.find(assetId)
    if (known && !replaces(registration, known)) return this.#joined(known, did, now)
    const why = await this.#takedowns.reasonFor(assetId)
    if (why !== null) return err({ reason: 'taken_down', why })
    const registrants = await this.#claimants.namesOf(did)
    const registered = await metered<TextManifest, RegistrationRefusal | BudgetRefusal>(
      this.#quota,
      { did, key: `text:${assetId}` },
      {
        prepare: async () => {
          const claimed = await this.#claim(registration, { did, registrants }, now)
          if (!claimed.ok) return claimed
          return claimed.value ? ok(undefined) : err({ reason: 'pending' })
        },
        complete: async () => {
          const manifest = await this.#texts.register(registration, registrants, now)
          return manifest ? ok(manifest) : err({ reason: 'pending' })
        },
      },
    )
    if (registered.ok) return ok(await this.#indexed(registered.value, false, now))
    if (registered.error.reason !== 'pending') return err(registered.error)
    // Another identity has registered it meanwhile, or is about to.
    const raced = await this.#texts.find(assetId)
    return raced && !replaces(registration, raced) ? this.#joined(raced, did, now) : err({ reason: 'pending' })
  }

  /** Removes the caller's registration; the text and its vectors go with the last. False if the caller has none. */
  async remove(did: string, assetId: string): Promise<boolean> {
    return this.#texts.remove(assetId, await this.#claimants.namesOf(did))
  }

  /** Somebody registers a text that is registered already. */
  async #joined(manifest: TextManifest, did: string, now: number): Promise<Result<Registered, RegistrationRefusal>> {
    // The last claimant may have removed it meanwhile: registering it again makes it new.
    if (!(await this.#texts.join(manifest.assetId, await this.#claimants.namesOf(did))))
      return err({ reason: 'pending' })
    return ok(await this.#indexed(manifest, true, now))
  }

  async #claim(registration: TextRegistration, by: Registrant, now: number): Promise<Result<boolean, BudgetRefusal>> {
    const { assetId, wordCount, chunkCount, isCertified, places, vectors } = registration
    const { did, registrants } = by
    const indexedCount = distinctVectors(vectors).length / PACKED_BYTES
    return this.#budget.within(did, 'searchChunks', async (limit) => {
      const bodyKey = await this.#texts.keep({ places, vectors }, now)
      const claim = { assetId, chunkCount, wordCount, indexedCount, isCertified, bodyKey, registrants }
      return this.#texts.claim(claim, limit, now)
    })
  }

  async #indexed(manifest: TextManifest, duplicate: boolean, now: number): Promise<Registered> {
    return { ...manifest, duplicate, isIndexed: await this.#sets.index(manifest.assetId, '', now) }
  }
}

/** Somebody who knows a text can register anything under its id. What certifies itself takes its place. */
function replaces(registration: TextRegistration, known: TextManifest): boolean {
  return registration.isCertified && !known.isCertified
}
