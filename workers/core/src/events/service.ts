import type { SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { SignedEventPage } from '@svc/protocol/events/events'
import type { IdentityService } from '../identity/service.ts'
import type { EventQuery, EventRefusal, Report } from './transaction.ts'

/** The event feed: read in the identity's object, signed here. */
export class EventService {
  readonly #identities: IdentityService
  readonly #signer: DeploymentSigner

  constructor(identities: IdentityService, signer: DeploymentSigner) {
    this.#identities = identities
    this.#signer = signer
  }

  /** What a sibling says that happened. Idempotent. */
  report(did: string, reports: readonly Report[]): Promise<void> {
    return this.#identities.ask(did, async (identity) => identity.reportEvents(reports))
  }

  async read(
    assertion: VerifiedAssertion,
    query: EventQuery,
  ): Promise<Result<SignedEventPage, SpendRefusal | EventRefusal | { readonly reason: 'receipts_unavailable' }>> {
    if (!this.#signer.isReady) return err({ reason: 'receipts_unavailable' })
    const read = await this.#identities.act(assertion, async (identity) => identity.events(assertion, query))
    if (!read.ok) return read
    const { did, events, missed, head } = read.value
    const page = await this.#signer.sign({
      type: 'svc/event-page/v1',
      did,
      after: query.after,
      events: [...events],
      missed,
      head,
      issuedAt: Date.now(),
    })
    return page ? ok(page) : err({ reason: 'receipts_unavailable' })
  }
}
