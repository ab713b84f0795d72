import { err, ok, type Result } from '@svc/protocol/base/result'
import type { TakedownReason } from '@svc/protocol/operator/takedown'
import type { TakedownList } from '@svc/service'
import { metered, type Quota, type QuotaRefusal } from '../quota/rules.ts'
import type { VectorSetService } from '../vectors/set-service.ts'
import type { Claimants } from './claimants.ts'
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

export interface TextParts {
  readonly quota: Quota
  readonly takedowns: TakedownList
  readonly claimants: Claimants
}

/** Registers texts: first the vectors, then the unit, then the manifest that makes them visible, then the index. */
export class TextService {
  readonly #texts: TextStore
  readonly #sets: VectorSetService
  readonly #quota: Quota
  readonly #takedowns: TakedownList
  readonly #claimants: Claimants

  constructor(texts: TextStore, sets: VectorSetService, { quota, takedowns, claimants }: TextParts) {
    this.#texts = texts
    this.#sets = sets
    this.#quota = quota
    this.#takedowns = takedowns
    this.#claimants = claimants
  }

  async register(
    did: string,
    registration: TextRegistration,
    now: number,
  ): Promise<Result<Registered, RegistrationRefusal | QuotaRefusal>> {
    if (!this.#sets.indexes.text) return err({ reason: 'not_provisioned' })
    const { assetId } = registration
    const known = await this.#texts.find(assetId)
    if (known && !replaces(registration, known)) return this.#joined(known, did, now)
    const why = await this.#takedowns.reasonFor(assetId)
    if (why !== null) return err({ reason: 'taken_down', why })
    const [registrant] = await this.#claimants.namesOf(did)
    const registered = await metered<TextManifest, RegistrationRefusal>(
      this.#quota,
      { did, key: `text:${assetId}` },
      {
        prepare: async () =>
          (await this.#claim(registration, registrant, now)) ? ok(undefined) : err({ reason: 'pending' }),
        complete: async () => {
          const manifest = await this.#texts.register(registration, registrant, now)
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
    const [claimant] = await this.#claimants.namesOf(did)
    // The last claimant may have removed it meanwhile: registering it again makes it new.
    if (!(await this.#texts.join(manifest.assetId, claimant))) return err({ reason: 'pending' })
    return ok(await this.#indexed(manifest, true, now))
  }

  async #claim(registration: TextRegistration, registrant: string, now: number): Promise<boolean> {
    const { assetId, wordCount, chunkCount, isCertified, places, vectors } = registration
    const bodyKey = await this.#texts.keep({ places, vectors }, now)
    return this.#texts.claim({ assetId, chunkCount, wordCount, isCertified, bodyKey, registrant }, now)
  }

  async #indexed(manifest: TextManifest, duplicate: boolean, now: number): Promise<Registered> {
    return { ...manifest, duplicate, isIndexed: await this.#sets.index(manifest.assetId, '', now) }
  }
}

/** Somebody who knows a text can register anything under its id. What certifies itself takes its place. */
function replaces(registration: TextRegistration, known: TextManifest): boolean {
  return registration.isCertified && !known.isCertified
}
