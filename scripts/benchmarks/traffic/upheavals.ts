import type { Client } from '@svc/client'
import { type OperatorAct, rollAct, sendOperatorAct } from '@svc/operations/operator-act'
import { openLog } from '@svc/protocol/merkle/log-list'
import type { LogSeries } from '@svc/protocol/merkle/log-name'
import type { Stage } from './actor.ts'
import type { Random } from './random.ts'

const ATTEMPTS = 60
const PAUSE_MS = 500

export type Upheaval = 'roll of anchors' | 'roll of the directory'
const ALL: readonly Upheaval[] = ['roll of anchors', 'roll of the directory']

interface Pending {
  readonly what: Upheaval
  readonly act: OperatorAct
}

/**
 * What an operator does to logs while others use them. An act that was interrupted is sent again: each one
 * is idempotent, so it ends as if it had been sent once.
 */
export class Upheavals {
  readonly #stage: Stage
  readonly #anyone: Client
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

  /** Chooses an act. */
  async prepare(random: Random, what = ALL[Math.floor(random() * ALL.length)]): Promise<void> {
    const act = what && (await this.#act(what))
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

  async #act(what: Upheaval): Promise<OperatorAct | null> {
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

  /** Whether the act is complete. */
  async #send(): Promise<boolean> {
    const pending = this.#pending
    if (!pending) return true
    const { urls, secrets } = this.#stage
    const { service } = pending.act
    const headers: Record<string, string> = service === 'keys' ? { origin: 'http://localhost:3000' } : {}
    const target = { service: urls[service], realm: urls.core }
    const answer = await sendOperatorAct(target, secrets.operatorSeed, pending.act, headers)
    await answer.body?.cancel()
    if (!answer.ok) return false
    this.#done.set(pending.what, (this.#done.get(pending.what) ?? 0) + 1)
    this.#pending = null
    return true
  }
}
