import { deviceIdOf, deviceRecordSchema } from '@svc/protocol/base/device'
import { userIdOfKey } from '@svc/protocol/base/identity'
import { type ConsentQuestion, type ConsentVerdict, consentQuestionHash } from '@svc/protocol/consent/authority'
import { verifyConsent } from '@svc/protocol/consent/consent'
import { keyScopeSchema } from '@svc/protocol/internal/core'
import type { InternalClient } from '@svc/service'
import { type Standing, standingOfDevice, standingOfRefusal, standingOfRoot } from './rules.ts'

/** Decides whether a key may speak for a creator, according to core, and whether it signed. */
export class ConsentAuthority {
  readonly #core: InternalClient

  constructor(core: InternalClient) {
    this.#core = core
  }

  /** Null if core leaves any doubt: the answer is then a refusal, however good the signature. */
  async judge(question: ConsentQuestion, now: number): Promise<ConsentVerdict | null> {
    const { message, publicKeyB64u, signatureB64u } = question
    const [standing, isSigned] = await Promise.all([
      this.#standing(message.creator_did, publicKeyB64u, now),
      verifyConsent(message, publicKeyB64u, signatureB64u),
    ])
    const questionHash = consentQuestionHash(question)
    if (standing.is === 'doubtful') return null
    // Checked first: only the holder of a key learns whose key it is.
    if (!isSigned) return { authorized: false, questionHash, reason: 'invalid_signature' }
    if (standing.is !== 'entitled') return { authorized: false, questionHash, reason: 'key_not_entitled' }
    return { authorized: true, questionHash, signer: standing.signer }
  }

  /** Bypasses every cache, so a device revocation takes effect at once. */
  async #standing(did: string, publicKeyB64u: string, now: number): Promise<Standing> {
    const path = `/api/internal/key-scope/${userIdOfKey(publicKeyB64u)}`
    const scope = await this.#core.call({ method: 'GET', path }, keyScopeSchema)
    if (scope.ok) return standingOfRoot(scope.value, did, publicKeyB64u)
    const standing = standingOfRefusal(scope.error)
    return standing.is === 'unknown' ? this.#deviceStanding(did, publicKeyB64u, now) : standing
  }

  async #deviceStanding(did: string, publicKeyB64u: string, now: number): Promise<Standing> {
    const path = `/api/internal/device/${deviceIdOf(publicKeyB64u)}?consistency=primary`
    const record = await this.#core.call({ method: 'GET', path }, deviceRecordSchema)
    return record.ok ? standingOfDevice(record.value, did, publicKeyB64u, now) : standingOfRefusal(record.error)
  }
}
