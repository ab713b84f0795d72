import { DurableObject } from 'cloudflare:workers'
import type { JoinRequest, OfferStatus } from '@svc/protocol/rendezvous'
import { err, ok, type Result } from '@svc/protocol/result'
import { equalSecrets } from '@svc/service'
import type { Flow } from './offer-code.ts'
import {
  checkConsumption,
  checkDelivery,
  checkJoin,
  closesOn,
  living,
  type OfferRefusal,
  type OfferRow,
} from './rendezvous.ts'

interface Row {
  [column: string]: SqlStorageValue
  flow: Flow
  did: string
  token_hash: string
  status: OfferStatus
  expires_at: number
  wrong_tokens: number
  request: string | null
}

export interface NewOffer {
  readonly flow: Flow
  readonly did: string
  readonly tokenHash: string
  readonly expiresAt: number
}

/** Who calls: the identity that opened the offer, or somebody who presents its token. */
export type OfferCaller = { readonly did: string } | { readonly tokenHash: string }

/**
 * One offer, named by its code. Only codes that this deployment has minted reach it. It forgets everything when its
 * result is consumed, when it is cancelled, and ten minutes after it was opened.
 */
export class RendezvousObject extends DurableObject {
  /** False when the code is taken, which 35 random bits make rare. */
  async open({ flow, did, tokenHash, expiresAt }: NewOffer): Promise<boolean> {
    const { storage } = this.ctx
    const opened = storage.transactionSync(() => {
      storage.sql.exec(
        `CREATE TABLE IF NOT EXISTS offer (
           id INTEGER PRIMARY KEY CHECK (id = 0), flow TEXT NOT NULL, did TEXT NOT NULL, token_hash TEXT NOT NULL,
           status TEXT NOT NULL, expires_at INTEGER NOT NULL, wrong_tokens INTEGER NOT NULL, request TEXT, result TEXT
         ) STRICT`,
      )
      const inserted = storage.sql
        .exec(
          `INSERT INTO offer (id, flow, did, token_hash, status, expires_at, wrong_tokens)
           VALUES (0, ?, ?, ?, 'open', ?, 0) ON CONFLICT DO NOTHING RETURNING 1`,
          flow,
          did,
          tokenHash,
          expiresAt,
        )
        .toArray()
      return inserted.length === 1
    })
    if (opened) await storage.setAlarm(expiresAt)
    return opened
  }

  state(flow: Flow, did: string): Result<OfferRow, OfferRefusal> {
    return this.#asCaller(flow, { did })
  }

  join(flow: Flow, tokenHash: string, request: JoinRequest): Result<OfferRow, OfferRefusal> {
    return this.ctx.storage.transactionSync((): Result<OfferRow, OfferRefusal> => {
      const row = this.#asCaller(flow, { tokenHash })
      if (!row.ok) return row
      const checked = checkJoin(row.value, request)
      if (!checked.ok) return checked
      if (checked.value === 'join') {
        this.ctx.storage.sql.exec("UPDATE offer SET status = 'joined', request = ?", JSON.stringify(request))
      }
      return ok({ ...row.value, status: 'joined', request })
    })
  }

  /** The result is text that this object never reads. */
  deliver(flow: Flow, did: string, result: string): Result<OfferRow, OfferRefusal> {
    return this.ctx.storage.transactionSync((): Result<OfferRow, OfferRefusal> => {
      const row = this.#asCaller(flow, { did })
      if (!row.ok) return row
      const checked = checkDelivery(row.value)
      if (!checked.ok) return checked
      this.ctx.storage.sql.exec("UPDATE offer SET status = 'delivered', result = ?", result)
      return ok({ ...row.value, status: 'delivered' })
    })
  }

  /** The result, to one caller: whoever comes after finds no offer. */
  async consume(flow: Flow, tokenHash: string): Promise<Result<string, OfferRefusal>> {
    const consumed = this.ctx.storage.transactionSync((): Result<string, OfferRefusal> => {
      const row = this.#asCaller(flow, { tokenHash })
      if (!row.ok) return row
      const checked = checkConsumption(row.value)
      if (!checked.ok) return checked
      const { result } = this.ctx.storage.sql.exec<{ result: string }>('SELECT result FROM offer').one()
      this.ctx.storage.sql.exec('DELETE FROM offer')
      return ok(result)
    })
    if (consumed.ok) await this.#forget()
    return consumed
  }

  async cancel(flow: Flow, caller: OfferCaller): Promise<Result<void, OfferRefusal>> {
    const row = this.ctx.storage.transactionSync(() => {
      const found = this.#asCaller(flow, caller)
      if (found.ok) this.ctx.storage.sql.exec('DELETE FROM offer')
      return found
    })
    if (!row.ok) return row
    await this.#forget()
    return ok(undefined)
  }

  override alarm(): Promise<void> {
    return this.#forget()
  }

  /** The offer as its owner or the holder of its token may see it. A wrong token is counted, and enough close it. */
  #asCaller(flow: Flow, caller: OfferCaller): Result<OfferRow, OfferRefusal> {
    const row = living(this.#read(), flow, Date.now())
    if (!row) return err({ reason: 'not_found' })
    if ('did' in caller) return caller.did === row.did ? ok(row) : err({ reason: 'not_found' })
    if (equalSecrets(caller.tokenHash, row.tokenHash)) return ok(row)
    const wrong = row.wrongTokens + 1
    if (closesOn(wrong)) this.ctx.storage.sql.exec('DELETE FROM offer')
    else this.ctx.storage.sql.exec('UPDATE offer SET wrong_tokens = ?', wrong)
    return err({ reason: 'token_rejected' })
  }

  /** Null also where no offer was ever opened: an object that nobody wrote to has no table. */
  #read(): OfferRow | null {
    const { sql } = this.ctx.storage
    const exists = sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'offer'").toArray().length > 0
    if (!exists) return null
    const [row] = sql
      .exec<Row>('SELECT flow, did, token_hash, status, expires_at, wrong_tokens, request FROM offer')
      .toArray()
    return row
      ? {
          flow: row.flow,
          did: row.did,
          tokenHash: row.token_hash,
          status: row.status,
          expiresAt: row.expires_at,
          wrongTokens: row.wrong_tokens,
          request: row.request === null ? null : (JSON.parse(row.request) as JoinRequest),
        }
      : null
  }

  /** Tables and alarm in one: a crash leaves either everything, with its alarm, or nothing. */
  #forget(): Promise<void> {
    return this.ctx.storage.deleteAll()
  }
}
