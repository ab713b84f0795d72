/** What an operator gives the customer besides: a licence, revoked now and then, and codes. */
import { codeHash } from '@svc/protocol/pay/codes'
import type { Tier } from '@svc/protocol/pay/tiers'
import type { EntitlementService } from '../../src/entitlements/service.ts'
import { act, codeAct, freshCode } from '../quota/quota.fixture.ts'
import type { Random } from './random.ts'

const DAY = 86_400_000
const TIERS = ['provenance', 'atelier', 'research'] as const
/** No subscription and no licence of this tier delays it. */
const CODE_TIER = 'research'

export class Operator {
  readonly #did: string
  readonly #random: Random
  readonly #entitlements: EntitlementService
  #licence: { readonly tier: Tier; readonly until: number } | null = null
  #codeUntil = 0

  constructor(did: string, random: Random, entitlements: EntitlementService) {
    this.#did = did
    this.#random = random
    this.#entitlements = entitlements
  }

  /** Acts on some days; the name of what was done. */
  async liveDay(now: number): Promise<string | null> {
    if (this.#random.chance(0.02)) return this.#license(now)
    if (this.#random.chance(0.02)) return this.#revoke(now)
    return this.#random.chance(0.005) ? this.#redeem(now) : null
  }

  /** What is given at a time, written from the page. */
  tiersAt(now: number): Tier[] {
    const licence = this.#licence && now < this.#licence.until ? [this.#licence.tier] : []
    return now < this.#codeUntil ? [...licence, CODE_TIER] : licence
  }

  async #license(now: number): Promise<string> {
    const tier = TIERS[this.#random.below(TIERS.length)] ?? 'provenance'
    const until = now + (1 + this.#random.below(60)) * DAY
    this.#licence = { tier, until }
    await this.#act({ action: 'grant', tier, expiresAt: until }, now)
    return 'licensed'
  }

  async #revoke(now: number): Promise<string> {
    this.#licence = null
    await this.#act({ action: 'revoke', tier: null, expiresAt: null }, now)
    return 'licence revoked'
  }

  async #redeem(now: number): Promise<string> {
    const [code, days] = [freshCode(), 1 + this.#random.below(20)]
    await act(await codeAct(code, { tier: CODE_TIER, days }))
    if (!(await this.#entitlements.redeem(this.#did, codeHash(code), now))) throw new Error('no code')
    // Codes of a tier follow each other.
    this.#codeUntil = Math.max(this.#codeUntil, now) + days * DAY
    return 'code redeemed'
  }

  #act(terms: { action: 'grant' | 'revoke'; tier: Tier | null; expiresAt: number | null }, now: number): Promise<void> {
    const about = { type: 'svc/operator-licence/v1', realm: '', service: 'pay', nonce: '' } as const
    return this.#entitlements.license({ ...about, did: this.#did, source: 'licence', ...terms, issuedAt: now }, now)
  }
}
