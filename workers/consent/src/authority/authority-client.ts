import type { ConsentSigner } from '@svc/protocol/consent'
import { type ConsentQuestion, consentQuestionHash, consentVerdictSchema } from '@svc/protocol/consent-authority'
import { err, ok, type Result } from '@svc/protocol/result'
import type { InternalClient } from '@svc/service'

export type AuthorityRefusal = 'authority_unavailable' | 'invalid_signature' | 'key_not_entitled'

/** Provenance, which decides whether a key may speak for a creator (document 2 section 5.5). */
export class AuthorityClient {
  readonly #provenance: InternalClient

  constructor(provenance: InternalClient) {
    this.#provenance = provenance
  }

  /** Whatever is not plainly a verdict on this very question leaves the authority unavailable. */
  async judge(question: ConsentQuestion): Promise<Result<ConsentSigner, AuthorityRefusal>> {
    const call = { method: 'POST', path: '/api/internal/consent/authority', body: question } as const
    const answer = await this.#provenance.call(call, consentVerdictSchema)
    if (!answer.ok || answer.value.questionHash !== consentQuestionHash(question)) return err('authority_unavailable')
    const verdict = answer.value
    return verdict.authorized ? ok(verdict.signer) : err(verdict.reason)
  }
}
