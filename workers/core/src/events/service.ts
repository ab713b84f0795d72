import type { SpendRefusal, VerifiedAssertion } from '@svc/assertion'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { hashTextHex } from '@svc/protocol/base/hash'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { SignedEventPage } from '@svc/protocol/events/events'
import { type EventTicket, TICKET_SECRET_BYTES, ticketOf, ticketParts } from '@svc/protocol/events/socket'
import type { IdentityService } from '../identity/service.ts'
import { relayed } from './relay.ts'
import { TICKET_HASH_HEADER } from './tickets.ts'
import type { EventQuery, EventRefusal, Report, TicketRefusal } from './transaction.ts'

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

  async ticket(assertion: VerifiedAssertion): Promise<Result<EventTicket, SpendRefusal | TicketRefusal>> {
    const secret = encodeBase64url(crypto.getRandomValues(new Uint8Array(TICKET_SECRET_BYTES)))
    const issued = await this.#identities.act(assertion, async (identity) =>
      identity.issueTicket(assertion, hashTextHex(secret)),
    )
    if (!issued.ok) return issued
    const { did, expiresAt } = issued.value
    return ok({ ticket: ticketOf(did, secret), expiresAt })
  }

  /** The client's end of a WebSocket; null if the ticket opens none. */
  async open(ticket: string): Promise<WebSocket | null> {
    const parts = ticketParts(ticket)
    if (!parts) return null
    const headers = { upgrade: 'websocket', [TICKET_HASH_HEADER]: hashTextHex(parts.secret) }
    const { webSocket } = await this.#identities.ask(parts.did, async (identity) =>
      identity.fetch('https://identity/events', { headers }),
    )
    return webSocket && relayed(webSocket)
  }
}
