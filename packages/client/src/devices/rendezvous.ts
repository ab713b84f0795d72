import type * as z from 'zod'
import { bytesOf } from '#protocol/base/base64url'
import { deviceIdOf } from '#protocol/base/device'
import type { Realms } from '#protocol/base/realm'
import { verifyStatement } from '#protocol/base/statement'
import { grouped, normalized } from '#protocol/devices/crockford'
import { type AttestDevice, CONFIRMATION_MS } from '#protocol/devices/inception'
import { invitationText, newSecret } from '#protocol/devices/invitation'
import { OfferKeys } from '#protocol/devices/offer-keys'
import {
  cancelledSchema,
  type JoinRequest,
  joinedSchema,
  OFFER_LIFETIME_MS,
  type Offer,
  type Offerer,
  type OfferState,
  offererSchema,
  offerSchema,
  offerStateSchema,
  type Sealed,
} from '#protocol/devices/rendezvous'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Device } from '../identity/device.ts'
import type { Identity } from '../identity/identity.ts'
import { ServiceError } from '../transport/service-error.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { openDelivery, sealDelivery, type Welcome } from './delivery.ts'
import type { AttestOptions, Devices } from './devices.ts'
import { type Invited, invitedBy } from './invitations.ts'

/** An offer of this identity. Its secret is in the invitation, which only this device has. */
export interface OpenedOffer extends Omit<Offer, 'token'> {
  /** For the other device, as a QR code or to be typed: ten groups of four characters. */
  readonly invitation: string
}

/** What the new device knows once it has joined. */
export interface JoinedOffer {
  /** The identity that offers, proved with the invitation. */
  readonly did: string
  /** To be compared with the other side. */
  readonly confirmationCode: string
  readonly expiresAt: number
}

export type { Welcome } from './delivery.ts'

interface Flow {
  readonly path: '/api/pair' | '/api/authorize'
  readonly audience: 'core' | 'chain'
  readonly tokenHeader: 'X-Pairing-Token' | 'X-Offer-Token'
}

export interface RendezvousParts {
  readonly transport: Transport
  readonly core: string
  readonly keys: KeyHistory
  /** Of the side that makes offers; a device that only joins has neither. */
  readonly identity: Identity | undefined
  readonly devices: Devices | undefined
}

/** Whatever a service asks for: it is not asked in a loop without a pause. */
const MIN_POLL_MS = 1_000

/**
 * What both flows share: offer, read, join, cancel. Both sides name an offer by its invitation, with which they authenticate
 * each other: core relays what they say, and cannot change it.
 */
export class Rendezvous {
  // As results: see `safely`.
  readonly safeRead = safeTwin(this, 'read')
  readonly safeJoin = safeTwin(this, 'join')

  protected readonly transport: Transport
  protected readonly base: string
  readonly #flow: Flow
  readonly #identity: Identity | undefined
  readonly #keys: KeyHistory
  readonly #devices: Devices | undefined
  /** Who was proved to offer, by the code of the offer. */
  readonly #offerers = new Map<string, Offerer>()

  constructor(flow: Flow, parts: RendezvousParts) {
    this.#flow = flow
    this.transport = parts.transport
    this.base = parts.core + flow.path
    this.#identity = parts.identity
    this.#keys = parts.keys
    this.#devices = parts.devices
  }

  /** Opens an offer for ten minutes. Show its invitation to the other device: it is made here, and core never gets it. */
  async offer(): Promise<OpenedOffer> {
    const { did, publicKeyB64u } = this.root
    const secret = newSecret()
    const keys = new OfferKeys(secret)
    const proofB64u = keys.offerProof({ realm: this.transport.realm, did, rootPublicKeyB64u: publicKeyB64u })
    const body = { tokenHash: keys.tokenHash, proofB64u }
    const { code, expiresAt, pollIntervalMs, ...offer } = await this.#asserted('POST', '/offer', offerSchema, body)
    if (offer.did !== did)
      throw unverified('offer', 'wrong_identity', 'Core made the offer for another identity', { evidence: offer })
    return { code, did, expiresAt, pollIntervalMs, invitation: invitationText({ code, secret }) }
  }

  /**
   * This identity's own offer, and what the joined device asks for. After 429 it waits as long as the service asks for.
   * Throws if the device did not sign it, signed it for another identity, or did not have the invitation.
   */
  async read(invitation: string): Promise<OfferState> {
    const invited = invitedBy(invitation)
    const { code } = invited
    const state = await this.#patiently(() => this.#asserted('GET', `/offer/${code}`, offerStateSchema))
    if (state.did !== this.root.did || state.code !== code)
      throw unverified('offer', 'different_answer', 'Core answered for a different offer', { evidence: state })
    if (state.request) await this.#verifyRequest(invited, state.request)
    return state
  }

  /**
   * As the offering side: waits until a device has joined, and returns its verified request. Asks at the interval that
   * the service names. Throws `not_found` (404) when the offer has expired or was declined; end it earlier with
   * `client.with({ signal })`.
   */
  wait(invitation: string): Promise<JoinRequest> {
    return this.answered(async () => {
      const { request, pollIntervalMs } = await this.read(invitation)
      return request ?? pollIntervalMs
    })
  }

  /** Ends an offer, as the side that opened it. */
  async cancel(invitation: string): Promise<void> {
    await this.#asserted('DELETE', `/offer/${invitedBy(invitation).code}`, cancelledSchema)
  }

  /** Ends an offer, as the device it was shown to. */
  async decline(invitation: string): Promise<void> {
    const { code, keys } = invitedBy(invitation)
    await this.withToken('DELETE', `/offer/${code}`, keys.token, cancelledSchema)
  }

  /**
   * As the new device: who offers. Throws if the identity that the service names is not the one that made the invitation.
   */
  async offerer(invitation: string): Promise<Offerer> {
    const invited = invitedBy(invitation)
    return this.#offerers.get(invited.code) ?? (await this.#verifiedOfferer(invited))
  }

  /**
   * As the new device: verifies who offers, joins, and returns the confirmation code to compare with the other side.
   * Throws before it has accepted anything if the identity that the service names is not the one that made the
   * invitation.
   */
  async join(invitation: string, device: Device): Promise<JoinedOffer> {
    const { code, keys } = invitedBy(invitation)
    const { did, rootPublicKeyB64u, inception } = await this.offerer(invitation)
    const { realm } = this.transport
    const acceptance = await device.acceptance(did, { realm, now: this.transport.now(), inception })
    const joining = { code, rootPublicKeyB64u, acceptance }
    const body = { acceptance, proofB64u: keys.joinProof(joining) }
    const joined = await this.withToken('POST', `/offer/${code}/join`, keys.token, joinedSchema, body)
    if (joined.did !== did || joined.rootPublicKeyB64u !== rootPublicKeyB64u)
      throw unverified('offer', 'different_answer', 'Core answered for a different offer', { evidence: joined })
    return { did, confirmationCode: keys.confirmationCode(joining), expiresAt: joined.expiresAt }
  }

  /** As the offering side: the code that the other device must show. If it shows anything else, cancel. */
  async confirmationCodeOf(invitation: string, { acceptance }: JoinRequest): Promise<string> {
    const { code, keys } = invitedBy(invitation)
    return keys.confirmationCode({ code, rootPublicKeyB64u: this.root.publicKeyB64u, acceptance })
  }

  /**
   * As the offering side: attests the joined device if `confirmed`, the code on its screen, matches. The service is
   * asked once, so what is compared is what is attested. The device has an hour to confirm (`devices.confirm`) before the
   * attestation ends. Throws if the codes differ.
   */
  async approve(invitation: string, confirmed: string, options: AttestOptions = {}): Promise<AttestDevice> {
    const { request } = await this.read(invitation)
    if (!request) throw new Error('No device has joined this offer')
    if (grouped(normalized(confirmed)) !== (await this.confirmationCodeOf(invitation, request)))
      throw unverified('offer', 'mismatch', 'The codes differ: another device has joined, cancel the offer')
    if (!this.#devices) throw new TypeError('This needs the root key')
    const confirmBy = this.transport.now() + CONFIRMATION_MS
    return this.#devices.attest(request.acceptance, { confirmBy, ...options })
  }

  /** Asks until there is an answer. A number is the time to wait, in ms. */
  protected async answered<T extends object>(ask: () => Promise<T | number>): Promise<T> {
    for (;;) {
      const answer = await ask().catch(pauseAfter)
      if (typeof answer !== 'number') return answer
      await this.transport.pause(Math.max(answer, MIN_POLL_MS))
    }
  }

  protected get root(): Identity {
    if (!this.#identity) throw new TypeError('This needs the root key')
    return this.#identity
  }

  /** Encrypts for the joined device. */
  protected async sealFor(
    invitation: string,
    attestation: AttestDevice,
    payload: Uint8Array | undefined,
  ): Promise<{ readonly code: string; readonly sealed: Sealed }> {
    const { request, code } = await this.read(invitation)
    if (!request) throw new Error('No device has joined this offer')
    const { sealKey } = invitedBy(invitation).keys
    const sender = { transport: this.transport, root: this.root, code, sealKey }
    return { code, sealed: await sealDelivery(sender, { request, attestation, payload }) }
  }

  /** Collects and decrypts a delivery. It must be by the current root key of who offers, for this device and this offer. */
  protected async welcome(
    invitation: string,
    device: Device,
    collect: (invited: Invited) => Promise<Sealed>,
  ): Promise<Welcome> {
    const invited = invitedBy(invitation)
    const { code, keys } = invited
    // Before the delivery is collected, which works once.
    const { did } = await this.offerer(invitation)
    const sealed = await collect(invited)
    const receiver = { transport: this.transport, history: this.#keys, did, code, sealKey: keys.sealKey }
    return openDelivery(receiver, device, sealed)
  }

  /** Who offers: proved with the invitation, and by the current root key of its verified history. */
  async #verifiedOfferer({ code, keys }: Invited): Promise<Offerer> {
    const offerer = await this.withToken('GET', `/offer/${code}/join`, keys.token, offererSchema)
    const { did, rootPublicKeyB64u, proofB64u } = offerer
    const origin = { realm: this.transport.realm, did, rootPublicKeyB64u }
    if (proofB64u === null || !keys.isOfferProof(proofB64u, origin))
      throw unverified('offer', 'invalid_proof', 'The identity of the offer did not make this invitation', {
        evidence: offerer,
      })
    if ((await this.#keys.of(did)).at(-1)?.publicKeyB64u !== rootPublicKeyB64u)
      throw unverified('offer', 'wrong_key', 'The root key does not belong to the identity of the offer', {
        evidence: offerer,
      })
    this.#offerers.set(code, offerer)
    return offerer
  }

  async #verifyRequest({ code, keys }: Invited, request: JoinRequest): Promise<void> {
    const { did, publicKeyB64u: rootPublicKeyB64u } = this.root
    const { acceptance, proofB64u } = request
    if (!(await isSignedFor(did, request, this.transport.realms)))
      throw unverified('offer', 'invalid_signature', 'The device did not sign the request')
    if (!keys.isJoinProof(proofB64u, { code, rootPublicKeyB64u, acceptance }))
      throw unverified('offer', 'invalid_proof', 'The device that joined does not have this invitation', {
        evidence: request,
      })
  }

  protected withToken<S extends z.ZodType>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    token: string,
    schema: S,
    body?: unknown,
  ): Promise<z.output<S>> {
    const headers = { [this.#flow.tokenHeader]: token }
    const call = { method, url: this.base + path, headers, ...(body === undefined ? {} : { body }) }
    return this.transport.data(call, schema)
  }

  protected post<S extends z.ZodType>(path: string, body: unknown, schema: S): Promise<z.output<S>> {
    return this.#patiently(() => this.#asserted('POST', path, schema, body))
  }

  /**
   * Waits and asks again after 429, as long as an offer can live. Both sides often share an address and its limit, and
   * after a person has compared the codes, or the device is attested, giving up would end the pairing halfway.
   */
  async #patiently<T>(ask: () => Promise<T>): Promise<T> {
    const until = this.transport.now() + OFFER_LIFETIME_MS
    for (;;) {
      try {
        return await ask()
      } catch (error) {
        if (!(error instanceof ServiceError) || error.status !== 429) throw error
        const pause = Math.max(pauseAfter(error), MIN_POLL_MS)
        if (this.transport.now() + pause > until) throw error
        await this.transport.pause(pause)
      }
    }
  }

  #asserted<S extends z.ZodType>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    schema: S,
    body?: unknown,
  ): Promise<z.output<S>> {
    const { audience } = this.#flow
    const call = { method, url: this.base + path, audience, ...(body === undefined ? {} : { body }) }
    return this.transport.data(call, schema)
  }
}

/** How long to wait after a refusal that is only about the time, in ms. Throws any other error. */
function pauseAfter(error: unknown): number {
  if (!(error instanceof ServiceError)) throw error
  const { pollIntervalMs } = error.details
  if (error.error === 'offer_state' && typeof pollIntervalMs === 'number') return pollIntervalMs
  if (error.retryAfterSeconds === undefined) throw error
  return error.retryAfterSeconds * 1000
}

/** Whether the device in a request signed that it joins this identity. */
async function isSignedFor(did: string, { acceptance }: JoinRequest, realms: Realms): Promise<boolean> {
  const { statement } = acceptance
  const isNamed = statement.did === did && deviceIdOf(statement.devicePublicKeyB64u) === statement.deviceId
  return isNamed && verifyStatement(acceptance, bytesOf(statement.devicePublicKeyB64u), realms)
}
