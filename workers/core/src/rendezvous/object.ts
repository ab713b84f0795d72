import { type Persisted, persist, type Schema, VersionedObject } from '@svc/objects'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { JoinRequest, OfferStatus } from '@svc/protocol/devices/rendezvous'
import { equalSecrets } from '@svc/service'
import type { Flow } from './offer-code.ts'
import {
  checkConsumption,
  checkDelivery,
  checkJoin,
  checkQuestion,
  closesOn,
  living,
  type OfferRefusal,
  type OfferRow,
} from './rules.ts'

interface Row {
  [column: string]: SqlStorageValue
  flow: Flow
  did: string
  token_hash: string
  proof: string | null
  status: OfferStatus
  expires_at: number
  wrong_tokens: number
  request: string | null
}

export interface NewOffer {
  readonly flow: Flow
  readonly did: string
  readonly tokenHash: string
  /** Of who offers, for the device that joins; null if the offering side gave none. */
  readonly proof: string | null
  readonly expiresAt: number
}

/** The caller: the identity that opened the offer, or the holder of its token. */
export type OfferCaller = { readonly did: string } | { readonly tokenHash: string }

const OFFER: Schema = {
  name: 'offer',
  unversionedTable: 'offer',
  steps: [
    {
      name: 'offer',
      sql: `CREATE TABLE IF NOT EXISTS offer (
              id INTEGER PRIMARY KEY CHECK (id = 0), flow TEXT NOT NULL, did TEXT NOT NULL, token_hash TEXT NOT NULL,
              proof TEXT, status TEXT NOT NULL, expires_at INTEGER NOT NULL, wrong_tokens INTEGER NOT NULL, request TEXT, result TEXT
            ) STRICT`,
    },
  ],
}

/**
 * One offer, named by its code. Only codes minted by this deployment reach it. It deletes everything once its result is
 * consumed, when it is cancelled, and ten minutes after it was opened.
 */
export class RendezvousObject extends VersionedObject {
  static override readonly schemas = [OFFER]
  /**
   * When each side has asked lately. In memory, so that asking writes nothing: the object stays there while it is asked,
   * and what is lost with it protects only work.
   */
  readonly #asked: Record<'owner' | 'device', readonly number[]> = { owner: [], device: [] }

  /** False if the code is taken, which is rare with 35 random bits. */
  async open({ flow, did, tokenHash, proof, expiresAt }: NewOffer): Promise<boolean> {
    const opened = this.stored.transact(() => {
      this.stored.create(OFFER)
      const inserted = this.stored.sql
        .exec(
          `INSERT INTO offer (id, flow, did, token_hash, proof, status, expires_at, wrong_tokens)
           VALUES (0, ?, ?, ?, ?, 'open', ?, 0) ON CONFLICT DO NOTHING RETURNING 1`,
          flow,
          did,
          tokenHash,
          proof,
          expiresAt,
        )
        .toArray()
      return inserted.length === 1
    })
    if (opened) await this.stored.alarm.by(expiresAt)
    return opened
  }

  state(flow: Flow, did: string): Result<OfferRow, OfferRefusal> {
    return this.#ofOwner(flow, did)
  }

  /** The same, as a question of the owner, who waits for the device. */
  asked(flow: Flow, did: string): Result<OfferRow, OfferRefusal> {
    const offer = this.#ofOwner(flow, did)
    return offer.ok ? this.#counted('owner', offer.value) : offer
  }

  /** Who offers, for the device that has the token. */
  look(flow: Flow, tokenHash: string): Result<OfferRow, OfferRefusal> {
    return this.#withToken(flow, tokenHash, (offer) => this.#counted('device', offer))
  }

  join(flow: Flow, tokenHash: string, request: JoinRequest): Result<OfferRow, OfferRefusal> {
    return this.#withToken(flow, tokenHash, (offer): Result<OfferRow, OfferRefusal> => {
      const checked = checkJoin(offer, request)
      if (!checked.ok) return checked
      if (checked.value === 'join') {
        this.stored.sql.exec("UPDATE offer SET status = 'joined', request = ?", JSON.stringify(request))
      }
      return ok({ ...offer, status: 'joined', request })
    })
  }

  /** The result is opaque text to this object. */
  deliver(flow: Flow, did: string, result: string): Result<OfferRow, OfferRefusal> {
    return this.stored.transact((): Result<OfferRow, OfferRefusal> => {
      const row = this.#ofOwner(flow, did)
      if (!row.ok) return row
      const checked = checkDelivery(row.value)
      if (!checked.ok) return checked
      this.stored.sql.exec("UPDATE offer SET status = 'delivered', result = ?", result)
      return ok({ ...row.value, status: 'delivered' })
    })
  }

  /** Returns the result once: later callers find no offer. */
  async consume(flow: Flow, tokenHash: string): Promise<Result<string, OfferRefusal>> {
    const consumed = this.#withToken(flow, tokenHash, (offer): Result<string, OfferRefusal> => {
      const checked = checkConsumption(offer)
      if (!checked.ok) {
        const counted = this.#counted('device', offer)
        return counted.ok ? checked : counted
      }
      const { result } = this.stored.sql.exec<{ result: string }>('SELECT result FROM offer').one()
      this.stored.sql.exec('DELETE FROM offer')
      return ok(result)
    })
    if (consumed.ok) await this.#forget()
    return consumed
  }

  async cancel(flow: Flow, caller: OfferCaller): Promise<Result<void, OfferRefusal>> {
    const cancelled =
      'did' in caller
        ? this.#ofOwner(flow, caller.did)
        : this.#withToken(flow, caller.tokenHash, (offer): Result<OfferRow, OfferRefusal> => ok(offer))
    if (!cancelled.ok) return cancelled
    await this.#forget()
    return ok(undefined)
  }

  override alarm(): Promise<void> {
    this.stored.alarm.wentOff()
    return this.#forget()
  }

  #ofOwner(flow: Flow, did: string): Result<OfferRow, OfferRefusal> {
    const offer = living(this.#read(), flow, Date.now())
    return offer?.did === did ? ok(offer) : err({ reason: 'not_found' })
  }

  /** Only a side that has shown its credential has its questions counted, so that strangers use up nothing. */
  #counted(side: 'owner' | 'device', offer: OfferRow): Result<OfferRow, OfferRefusal> {
    const asked = checkQuestion(this.#asked[side], Date.now())
    if (!asked.ok) return asked
    this.#asked[side] = asked.value
    return ok(offer)
  }

  /** One transaction for the token's holder. Counts wrong tokens, and closes the offer after too many. */
  #withToken<T>(
    flow: Flow,
    tokenHash: string,
    work: (offer: OfferRow) => Result<T, OfferRefusal>,
  ): Result<T, OfferRefusal> {
    return this.stored.transact((): Result<T, OfferRefusal> | Persisted<Result<T, OfferRefusal>> => {
      const offer = living(this.#read(), flow, Date.now())
      if (!offer) return err({ reason: 'not_found' })
      if (equalSecrets(tokenHash, offer.tokenHash)) return work(offer)
      const wrong = offer.wrongTokens + 1
      if (closesOn(wrong)) this.stored.sql.exec('DELETE FROM offer')
      else this.stored.sql.exec('UPDATE offer SET wrong_tokens = ?', wrong)
      return persist(err({ reason: 'token_rejected' }))
    })
  }

  /** Also null if no offer was ever opened: an object never written to has no table. */
  #read(): OfferRow | null {
    if (!this.stored.exists) return null
    const [row] = this.stored.sql
      .exec<Row>('SELECT flow, did, token_hash, proof, status, expires_at, wrong_tokens, request FROM offer')
      .toArray()
    return row
      ? {
          flow: row.flow,
          did: row.did,
          tokenHash: row.token_hash,
          proof: row.proof,
          status: row.status,
          expiresAt: row.expires_at,
          wrongTokens: row.wrong_tokens,
          request: row.request === null ? null : (JSON.parse(row.request) as JoinRequest),
        }
      : null
  }

  /** Deletes tables and alarm together: a crash leaves either everything, with its alarm, or nothing. */
  #forget(): Promise<void> {
    return this.stored.deleteAll()
  }
}
