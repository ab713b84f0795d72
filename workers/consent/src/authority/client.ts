import { err, ok, type Result } from '@svc/protocol/base/result'
import { type ConsentQuestion, consentQuestionHash, consentVerdictSchema } from '@svc/protocol/consent/authority'
import type { ConsentSigner } from '@svc/protocol/consent/consent'
import type { InternalClient } from '@svc/service'

export type AuthorityRefusal = 'authority_unavailable' | 'invalid_signature' | 'key_not_entitled'

/** Provenance, which decides whether a key may act for a creator. */
export class AuthorityClient {
  readonly #provenance: InternalClient

  constructor(provenance: InternalClient) {
    this.#provenance = provenance
  }

  /** Anything except a verdict on exactly this question counts as unavailable. */
  async judge(question: ConsentQuestion): Promise<Result<ConsentSigner, AuthorityRefusal>> {
    const call = { method: 'POST', path: '/api/internal/consent/authority', body: question } as const
    const answer = await this.#provenance.call(call, consentVerdictSchema)
    if (!answer.ok || answer.value.questionHash !== consentQuestionHash(question)) return err('authority_unavailable')
    const verdict = answer.value
    return verdict.authorized ? ok(verdict.signer) : err(verdict.reason)
  }
}
