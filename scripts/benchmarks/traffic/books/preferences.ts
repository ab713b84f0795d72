import { type LoadRequest, send } from '@svc/platform/callers/send'
import { consentRecordSchema, type Preferences } from '@svc/protocol/consent/consent'
import type { Planned } from '../planned.ts'
import type { Sealer } from '../sealer.ts'
import { Book, dataOf, saying } from './book.ts'

interface PreferenceClaim {
  readonly hash: string
  readonly preferences: Preferences
  readonly request: LoadRequest
}

const CHOICES = ['allow', 'disallow'] as const

/** Consent preferences of one creator: each identifier is declared and changed once. */
export class PreferenceBook extends Book<PreferenceClaim> {
  readonly #sealer: Sealer
  /** Identifiers that are declared or about to be. */
  readonly hashes: string[] = []
  #count = 0
  #hash = ''

  constructor(sealer: Sealer) {
    super()
    this.#sealer = sealer
  }

  async next(): Promise<Planned> {
    const isUpdate = this.#hash !== ''
    const hash = isUpdate ? this.#hash : `traffic/${crypto.randomUUID()}`
    this.#hash = isUpdate ? '' : hash
    if (!isUpdate) this.hashes.push(hash)
    this.#count += 1
    const choice = CHOICES[this.#count % CHOICES.length] ?? 'allow'
    const preferences: Preferences = isUpdate ? { search: choice } : { ai_training: choice }
    const request = isUpdate
      ? await this.#sealer.seal('PUT', ({ consent }) => consent.update(hash, preferences))
      : await this.#sealer.seal('POST', ({ consent }) => consent.publish(hash, preferences))
    return this.planned(request, 200, { hash, preferences, request }, `consent ${hash}`)
  }

  override resume(): Promise<void> {
    this.#hash = ''
    return Promise.resolve()
  }

  /**
   * The history of each identifier verifies and contains every acknowledged act. Resending the newest act byte for byte
   * returns the same answer and adds no act; an unanswered one is applied now.
   */
  async faults(): Promise<string[]> {
    const found: string[] = []
    for (const { claim, answer } of this.heard) {
      const { version, preferences } = dataOf(answer, consentRecordSchema)
      const acts = (await this.#history(claim.hash)) ?? []
      const act = acts.find((one) => one.version === version)
      const kept = act?.action === 'settle' ? undefined : act?.preferences
      if (JSON.stringify(kept) !== JSON.stringify(claim.preferences))
        found.push(`consent ${claim.hash}: act ${version} was acknowledged and is missing`)
      if (acts.length === version) found.push(...(await this.#again(claim, version, preferences)))
    }
    for (const claim of this.unheard) if (await this.#isTaken(claim)) this.wasTaken(claim)
    found.push(...(await this.tryAgain((claim) => this.#sendAgain(claim))))
    return found
  }

  async #again(claim: PreferenceClaim, version: number, preferences: Preferences): Promise<string[]> {
    const record = dataOf(await this.#sendAgain(claim), consentRecordSchema)
    const isSame = record.version === version && JSON.stringify(record.preferences) === JSON.stringify(preferences)
    return isSame ? [] : [`consent ${claim.hash}: act ${version}, sent again, became act ${record.version}`]
  }

  /** Adds an act only if the first attempt was not applied. */
  async #sendAgain(claim: PreferenceClaim): Promise<unknown> {
    const { hash, request } = claim
    const before = (await this.#history(hash)) ?? []
    const isTaken = await this.#isTaken(claim)
    const answer = await send(request)
    if (answer.status !== 200) throw new Error(`consent ${hash}: sent again, it returned ${answer.status}`)
    const after = (await this.#history(hash)) ?? []
    if (after.length !== before.length + (isTaken ? 0 : 1))
      throw new Error(`consent ${hash}: ${before.length} acts became ${after.length} after one was sent again`)
    return JSON.parse(answer.body.toString())
  }

  async #isTaken({ hash, request }: PreferenceClaim): Promise<boolean> {
    const acts = (await this.#history(hash)) ?? []
    return acts.some(({ signature_b64u: signature }) => signature === request.headers?.['x-svc-signature'])
  }

  async #history(hash: string) {
    try {
      return (await this.#sealer.client.consent.history(hash))?.acts
    } catch (error) {
      throw new Error(saying(`consent ${hash}`, error), { cause: error })
    }
  }
}
