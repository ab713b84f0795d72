import { err, ok, type Result } from '@svc/protocol/base/result'
import { errorEntry } from '@svc/protocol/http/errors'
import {
  type BatchItem,
  type Checked,
  type CheckedBatch,
  type CheckedWithStatus,
  type CheckRequest,
  checkRequestSchema,
} from '@svc/protocol/provenance/signature-check'
import { issuesOf } from '@svc/service'
import { CheckRoom, type ReadRequest } from './check-room.ts'
import type { KeyStatusService } from './key-status-service.ts'
import { KnownKeys } from './known-keys.ts'
import { type NamedNonce, type NonceOutcome, nonceOf, type OpenNonces } from './open-nonces.ts'

export type CheckRefusal = { readonly reason: 'verification_failed' | 'nonce_replay' | 'dependency_unavailable' }

interface Verdict {
  /** Hashed while the next signature is verified. */
  readonly nonce: Promise<NamedNonce>
  readonly timingUs: number
}

/** Verifies first and spends the nonce after: a bad signature leaves nothing behind. */
export class VerificationService {
  readonly #nonces: OpenNonces
  readonly #keys: KeyStatusService
  readonly #known = new KnownKeys()

  constructor(nonces: OpenNonces, keys: KeyStatusService) {
    this.#nonces = nonces
    this.#keys = keys
  }

  async check(request: CheckRequest): Promise<Result<Checked, CheckRefusal>> {
    const verdict = await this.#verdictOn(request)
    if (!verdict) return err({ reason: 'verification_failed' })
    return answerOf(verdict, await this.#nonces.spend(await verdict.nonce))
  }

  /** Asks core before it spends the nonce: a failed lookup costs nothing. */
  async checkWithStatus(request: CheckRequest, now: number): Promise<Result<CheckedWithStatus, CheckRefusal>> {
    const verdict = await this.#verdictOn(request)
    if (!verdict) return err({ reason: 'verification_failed' })
    const status = await this.#keys.statusOf(request.publicKeyB64u, now)
    if (!status.ok) return err({ reason: 'dependency_unavailable' })
    const checked = answerOf(verdict, await this.#nonces.spend(await verdict.nonce))
    return checked.ok ? ok({ ...checked.value, keyStatus: status.value }) : checked
  }

  async #verdictOn(request: CheckRequest): Promise<Verdict | null> {
    const read = new CheckRoom().read(request)
    if (!read) throw new Error('what the schema takes was not read')
    return verdictOf(read, this.#known)
  }

  async checkAll(items: readonly unknown[]): Promise<CheckedBatch> {
    const answers: BatchItem[] = []
    const room = new CheckRoom()
    const good: { readonly index: number; readonly verdict: Verdict }[] = []
    for (const [index, item] of items.entries()) {
      const read = room.read(item)
      if (!read) {
        answers[index] = malformed(index, item)
        continue
      }
      const verdict = await verdictOf(read, this.#known)
      if (verdict) good.push({ index, verdict })
      else answers[index] = refused(index, 'verification_failed')
    }
    const nonces = await Promise.all(good.map(({ verdict }) => verdict.nonce))
    const outcomes = await this.#nonces.spendAll(nonces)
    good.forEach(({ index, verdict }, i) => {
      const answer = answerOf(verdict, outcomes[i] ?? 'unavailable')
      answers[index] = answer.ok ? { index, ...answer.value } : refused(index, answer.error.reason)
    })
    const valid = answers.filter((answer) => answer.valid).length
    return { items: answers, valid, invalid: answers.length - valid }
  }
}

/** Null if the signature is invalid. */
async function verdictOf(
  { publicKeyB64u, nonce, publicKey, message, signature }: ReadRequest,
  keys: KnownKeys,
): Promise<Verdict | null> {
  const startedAt = performance.now()
  const key = await keys.of(publicKeyB64u, publicKey)
  if (!(await key.verify(message, signature))) return null
  keys.remember(key)
  const timingUs = Math.round((performance.now() - startedAt) * 1000)
  return { nonce: nonceOf(publicKey, nonce), timingUs }
}

function answerOf({ timingUs }: Verdict, outcome: NonceOutcome): Result<Checked, CheckRefusal> {
  switch (outcome) {
    case 'spent':
      return ok({ valid: true, keySource: 'request', nonceStatus: 'consumed', timingUs })
    case 'replay':
      return err({ reason: 'nonce_replay' })
    case 'unavailable':
      return err({ reason: 'dependency_unavailable' })
  }
}

function refused(index: number, error: CheckRefusal['reason']): BatchItem {
  return { index, valid: false, error, message: errorEntry(error).text }
}

function malformed(index: number, item: unknown): BatchItem {
  const { error } = checkRequestSchema.safeParse(item)
  if (!error) throw new Error('what the schema takes was not read')
  return { index, valid: false, error: 'invalid_request', message: issuesOf('item', error) }
}
