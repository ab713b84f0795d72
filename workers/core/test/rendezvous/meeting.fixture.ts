/** Offers over HTTP, from both sides: every answer is checked against what the service declares. */

import { Client, Device } from '@svc/client'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { CAPABILITIES } from '@svc/protocol/base/device'
import type { AttestDevice } from '@svc/protocol/devices/inception'
import { hashOfToken } from '@svc/protocol/devices/offer-keys'
import { codeSchema, type Offer } from '@svc/protocol/devices/rendezvous'
import { type Exchange, Prober } from '@svc/service/testing'
import { fetchOf, REALM, type TestCaller } from '@svc/testing'
import { expect } from 'vitest'
import { service } from '../../src/app.ts'
import { CORE, freshCaller, send } from '../harness.ts'

type Send = (request: Request) => Promise<Response>

export interface Flow {
  readonly name: 'pairing' | 'authorization'
  readonly base: string
  /** Where a result is left for the device, and where it is fetched. */
  readonly result: string
  readonly tokenHeader: string
  readonly audience: string
}
export const PAIRING: Flow = {
  name: 'pairing',
  base: '/api/pair/offer',
  result: '/api/pair/seal',
  tokenHeader: 'x-pairing-token',
  audience: 'core',
}
export const AUTHORIZATION: Flow = {
  name: 'authorization',
  base: '/api/authorize/offer',
  result: '/api/authorize/grant',
  tokenHeader: 'x-offer-token',
  audience: 'chain',
}
export const FLOWS = [PAIRING, AUTHORIZATION]

/** An envelope that no one can open; the service cannot tell. */
export const SEALED = {
  kemCiphertextB64u: encodeBase64url(new Uint8Array(1088).fill(1)),
  ephemeralB64u: encodeBase64url(new Uint8Array(32).fill(9)),
  nonceB64u: encodeBase64url(new Uint8Array(12).fill(2)),
  ciphertextB64u: encodeBase64url(new Uint8Array(64).fill(3)),
}
export const WRONG_TOKEN = 'A'.repeat(43)
/** Of 48 bytes, which the service cannot verify. */
export const PROOF = 'AbCd'.repeat(16)
/** Well-formed, and never minted by any deployment. */
export const MADE_UP_CODE = codeSchema.parse('AAAA-AAAA-AAAA')

/** An owner, and a device that the owner has paired. */
export interface Party {
  readonly owner: TestCaller
  readonly device: Device
  readonly attestation: AttestDevice
}

export const freshDevice = () => Device.create({ origin: 'app:test', capabilities: [...CAPABILITIES] })

export async function freshParty(): Promise<Party> {
  const owner = await freshCaller()
  const device = await freshDevice()
  const attestation = await owner.client.devices.attest(
    await device.acceptance(owner.identity.did, { realm: REALM, now: Date.now() }),
  )
  return { owner, device, attestation }
}

/** A client without an identity, or with only a device, limited as an address of its own. */
export function clientOf(device?: Device, fetch: Send = send): Client {
  const [a = 0, b = 0] = crypto.getRandomValues(new Uint16Array(2))
  const headers = { 'cf-connecting-ip': `2001:db8:${a.toString(16)}:${b.toString(16)}::1` }
  return new Client({
    core: CORE,
    did: 'https://did.test',
    fetch: fetchOf(fetch),
    headers,
    ...(device ? { device } : {}),
  })
}

export interface Ask {
  readonly by?: TestCaller | undefined
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** One request of a flow, from an address of its own: the limit of pairing is tested separately. */
export async function ask(
  flow: Flow,
  method: string,
  path: string,
  { by, token, body, headers = {} }: Ask,
  fetch: Send = send,
): Promise<Exchange> {
  const credentials = {
    ...(by ? { authorization: await by.assertion(flow.audience) } : {}),
    ...(token === undefined ? {} : { [flow.tokenHeader]: token }),
  }
  const text = body === undefined ? undefined : JSON.stringify(body)
  const prober = new Prober({ service, send: fetch, base: CORE })
  return prober.send({ method, path, headers: { ...credentials, ...headers }, body: text })
}

export const dataOf = ({ body }: Exchange) => (body as { data: Record<string, unknown> }).data

/** An offer with the token that its device has. */
export type KnownOffer = Offer & { readonly token: string }

/** One offer and what both sides do with it; each step can be sent through another `fetch`. */
export class Meeting {
  readonly flow: Flow
  readonly party: Party
  readonly offer: KnownOffer

  constructor(flow: Flow, party: Party, offer: KnownOffer) {
    this.flow = flow
    this.party = party
    this.offer = offer
  }

  static async open(flow: Flow, party: Party): Promise<Meeting> {
    const token = encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))
    const body = { tokenHash: hashOfToken(token), proofB64u: PROOF }
    const opened = await ask(flow, 'POST', flow.base, { by: party.owner, body })
    expect(opened.status).toBe(200)
    return new Meeting(flow, party, { ...(dataOf(opened) as unknown as Offer), token })
  }

  /** Opens an offer and advances it to that state. */
  static async at(status: 'open' | 'joined' | 'delivered', flow: Flow, party: Party): Promise<Meeting> {
    const meeting = await Meeting.open(flow, party)
    if (status !== 'open') expect((await meeting.join()).status).toBe(200)
    if (status === 'delivered') expect((await meeting.deliver()).status).toBe(200)
    return meeting
  }

  read(by = this.party.owner): Promise<Exchange> {
    return ask(this.flow, 'GET', `${this.flow.base}/${this.offer.code}`, { by })
  }

  look(token = this.offer.token, fetch?: Send): Promise<Exchange> {
    return ask(this.flow, 'GET', `${this.flow.base}/${this.offer.code}/join`, { token }, fetch)
  }

  /** Joins with the party’s device by default, or with another device or an earlier acceptance. */
  async join(
    { device = this.party.device, acceptance, token = this.offer.token }: Joining = {},
    fetch?: Send,
  ): Promise<Exchange> {
    const body = {
      acceptance: acceptance ?? (await device.acceptance(this.offer.did, { realm: REALM, now: Date.now() })),
      proofB64u: PROOF,
    }
    return ask(this.flow, 'POST', `${this.flow.base}/${this.offer.code}/join`, { token, body }, fetch)
  }

  deliver({ by = this.party.owner, attestation = this.party.attestation }: Delivering = {}, fetch?: Send) {
    return ask(this.flow, 'POST', this.flow.result, { by, body: this.delivery(attestation) }, fetch)
  }

  /** The body of a delivery. */
  delivery(attestation: unknown = this.party.attestation) {
    const { code } = this.offer
    return this.flow.name === 'pairing'
      ? { code, sealed: SEALED }
      : { code, grant: { attestation, wrappedKey: SEALED } }
  }

  take(token = this.offer.token, fetch?: Send): Promise<Exchange> {
    return ask(this.flow, 'GET', `${this.flow.result}/${this.offer.code}`, { token }, fetch)
  }

  cancel(as: Pick<Ask, 'by' | 'token'> = { by: this.party.owner }, fetch?: Send): Promise<Exchange> {
    return ask(this.flow, 'DELETE', `${this.flow.base}/${this.offer.code}`, as, fetch)
  }

  decline(token = this.offer.token, fetch?: Send): Promise<Exchange> {
    return this.cancel({ token }, fetch)
  }
}

interface Joining {
  readonly device?: Device
  readonly acceptance?: unknown
  readonly token?: string
}

interface Delivering {
  readonly by?: TestCaller
  readonly attestation?: unknown
}
