/**
 * The relay as far as the SDK can tell, given to it as `fetch`: one offer of one flow, kept and answered as it came.
 * `tamper` is what a relay does that is not honest. Who may call what is tested where it is decided, at core.
 */

import type { RootKeyEvidence } from '@svc/protocol/chain/rotation'
import { invitationText } from '@svc/protocol/devices/invitation'
import { OfferKeys } from '@svc/protocol/devices/offer-keys'
import type { JoinRequest } from '@svc/protocol/devices/rendezvous'
import { grantRequestSchema, joinRequestSchema, sealRequestSchema } from '@svc/protocol/devices/rendezvous'
import type { Identity } from '../src/identity/identity.ts'
import { REALM } from './realm.ts'

/** The head of a log without events. */
export const HEAD = { sequence: 0, hash: 'a7'.repeat(48) }
export const CORE = 'https://core.test'
export const NOW = 1_790_000_000_000
export const SECRET = '0123456789ABCDEFGHJKMNPQRS'
const CODE = '7Q3K-9ZXN-0V4T'
/** An offer as both devices know it. */
export const OFFER = { code: CODE, invitation: invitationText({ code: CODE, secret: SECRET }) }
/** What both devices derive, and what a service that lies would need. */
export const OFFER_KEYS = new OfferKeys(SECRET)

/** Not what core says, so that a client that has a number of its own is found out. */
export const POLL_MS = 4_321

type Route = 'offer' | 'offerer' | 'state' | 'joined' | 'taken'
type Data = Record<string, unknown>

export class FakeRelay {
  readonly requests: Request[] = []
  readonly #root: Identity
  /** The root keys of the identity, the genesis key alone unless told. */
  evidence: RootKeyEvidence[]
  request: JoinRequest | null = null
  result: unknown = null
  tamper: Partial<Record<Route, (data: Data) => unknown>> = {}

  constructor(root: Identity) {
    this.#root = root
    const { userId, publicKeyB64u } = root
    this.evidence = [{ epoch: 0, userId, publicKeyB64u, activatedAt: NOW, request: null, genesis: null }]
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    this.requests.push(request.clone())
    const body: unknown = request.method === 'POST' ? await request.json().catch(() => undefined) : undefined
    const data = this.#answer(request, body)
    if (data === null) {
      const details = { status: this.request ? 'joined' : 'open', pollIntervalMs: POLL_MS }
      return Response.json({ success: false, error: 'offer_state', message: 'early', details }, { status: 409 })
    }
    return Response.json({ success: true, data, timestamp: NOW })
  }

  #answer({ method, url }: Request, body: unknown): unknown {
    const { pathname, searchParams } = new URL(url)
    const [, , flow, what, code, join] = pathname.split('/')
    const { did, scope, publicKeyB64u } = this.#root
    const expiresAt = NOW + 600_000
    const keys = this.evidence.slice(Number(searchParams.get('from') ?? 0))
    if (flow === 'chain') return { did, scope, keys, next: null, rotation: null }
    if (method === 'DELETE') return { cancelled: true }
    if (what === 'offer' && code === undefined)
      return this.#told('offer', { code: CODE, token: null, did, expiresAt, pollIntervalMs: POLL_MS })
    if (join !== undefined && method === 'GET') {
      const rootPublicKeyB64u = keys.at(-1)?.publicKeyB64u ?? publicKeyB64u
      const proofB64u = OFFER_KEYS.offerProof({ realm: REALM, did, rootPublicKeyB64u })
      return this.#told('offerer', { did, rootPublicKeyB64u, proofB64u, inception: HEAD, expiresAt })
    }
    if (join !== undefined) {
      this.request = joinRequestSchema.parse(body)
      const root = { rootPublicKeyB64u: keys.at(-1)?.publicKeyB64u, pollIntervalMs: POLL_MS }
      return this.#told('joined', { did, status: 'joined', expiresAt, ...root })
    }
    if (what === 'offer') {
      const status = this.result ? 'delivered' : this.request ? 'joined' : 'open'
      return this.#told('state', { code, did, status, expiresAt, request: this.request, pollIntervalMs: POLL_MS })
    }
    if (method === 'GET') return this.result && this.#told('taken', this.result as Data)
    this.result = flow === 'pair' ? sealRequestSchema.parse(body).sealed : grantRequestSchema.parse(body).grant
    return { code: OFFER.code, status: 'delivered', expiresAt }
  }

  #told(route: Route, data: Data): unknown {
    return this.tamper[route]?.(data) ?? data
  }
}
