import type { Client } from '@svc/client'
import { type OperatorAct, rollAct, sendOperatorAct } from '@svc/operations/operator-act'
import { bucketOf } from '@svc/protocol/base/buckets'
import { CONSENT_BUCKETS } from '@svc/protocol/consent/buckets'
import { openLog } from '@svc/protocol/merkle/log-list'
import type { LogSeries } from '@svc/protocol/merkle/log-name'
import type { Stage } from './actor.ts'
import type { Random } from './random.ts'

/** Stores that have the buckets of consent at first, in ranges; a move may go to one more. */
const FIRST_STORES = 8
const STORES = Array.from({ length: FIRST_STORES + 1 }, (_, number) => storeName(number))
/** A move goes on by itself between the acts. */
const ATTEMPTS = 60
const PAUSE_MS = 500

export type Upheaval = 'roll of anchors' | 'roll of the directory' | 'move of a bucket'
const ALL: readonly Upheaval[] = ['roll of anchors', 'roll of the directory', 'move of a bucket']

interface Pending {
  readonly what: Upheaval
  readonly act: OperatorAct
}

/**
 * What an operator does to logs and stores while others use them. An act that was interrupted is sent again: each one
 * is idempotent, so it ends as if it had been sent once.
 */
export class Upheavals {
  readonly #stage: Stage
  readonly #anyone: Client
  /** Where each bucket was moved to. */
  readonly #stores = new Map<number, string>()
  /** By series; 1 unless told. */
  readonly #keyVersions: Partial<Record<LogSeries, number>>
  #pending: Pending | null = null
  #done = new Map<Upheaval, number>()

  constructor(stage: Stage, anyone: Client, keyVersions: Partial<Record<LogSeries, number>> = {}) {
    this.#stage = stage
    this.#anyone = anyone
    this.#keyVersions = keyVersions
  }

  /** How many of each were completed. */
  get done(): string {
    return [...this.#done].map(([what, count]) => `${count} × ${what}`).join(', ') || 'none'
  }

  /** Chooses an act. `hashes` are identifiers of consent. */
  async prepare(
    hashes: readonly string[],
    random: Random,
    what = ALL[Math.floor(random() * ALL.length)],
  ): Promise<void> {
    const act = what && (await this.#act(what, hashes, random))
    this.#pending = act ? { what, act } : null
  }

  /** Sends it. Without an answer it is pending. */
  async begin(): Promise<void> {
    await this.#send().catch(() => false)
  }

  /** Completes what is pending. Returns a sentence if it cannot be completed. */
  async finish(): Promise<string[]> {
    for (let attempt = 1; this.#pending; attempt++) {
      if (await this.#send()) return []
      if (attempt === ATTEMPTS) return [`a ${this.#pending.what} does not end`]
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
    return []
  }

  async #act(what: Upheaval, hashes: readonly string[], random: Random): Promise<OperatorAct | null> {
    if (what === 'move of a bucket') return this.#move(hashes, random)
    const series = what === 'roll of anchors' ? 'anchors' : 'transparency'
    const logs = await this.#anyone.transparency.logs()
    await logs.refresh()
    const list = await logs.list()
    const open = openLog(list, series)
    const next = list.logs.find((one) => one.series === series && one.state === 'announced')
    const { anchors, transparency } = this.#anyone
    const { log } = (await (series === 'anchors' ? anchors : transparency).checkpoint()).statement
    // Rolled, and not reported by a list yet.
    if (open?.log !== log) return null
    return next ? rollAct([open.log, next.log, String(this.#keyVersions[series] ?? 1)]) : null
  }

  #move(hashes: readonly string[], random: Random): OperatorAct | null {
    const hash = hashes[Math.floor(random() * hashes.length)]
    if (hash === undefined) return null
    const bucket = bucketOf(hash)
    const from = this.#stores.get(bucket) ?? storeName(Math.floor((bucket * FIRST_STORES) / CONSENT_BUCKETS))
    const to = STORES.filter((one) => one !== from)[Math.floor(random() * FIRST_STORES)]
    return { type: 'svc/operator-consent-move/v1', service: 'consent', members: { bucket, from, to } }
  }

  /** Whether the act is complete. */
  async #send(): Promise<boolean> {
    const pending = this.#pending
    if (!pending) return true
    const { urls, secrets } = this.#stage
    const { service } = pending.act
    const headers: Record<string, string> = service === 'keys' ? { origin: 'http://localhost:3000' } : {}
    const target = { service: urls[service], realm: urls.core }
    const answer = await sendOperatorAct(target, secrets.operatorSeed, pending.act, headers)
    const body = (await answer.json()) as { state?: string; store?: string; data?: { state?: string; store?: string } }
    const { state, store } = body.data ?? body
    if (!answer.ok || state === 'moving') return false
    const { bucket } = pending.act.members as { bucket?: number }
    if (bucket !== undefined && store !== undefined) this.#stores.set(bucket, store)
    const { to } = pending.act.members as { to?: string }
    if (state !== 'elsewhere' || store === to) this.#done.set(pending.what, (this.#done.get(pending.what) ?? 0) + 1)
    this.#pending = null
    return true
  }
}

function storeName(number: number): string {
  return `consent/s${String(number).padStart(2, '0')}`
}
