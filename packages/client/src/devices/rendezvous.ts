import type * as z from 'zod'
import { bytesOf } from '#protocol/base/base64url'
import { deviceIdOf } from '#protocol/base/device'
import type { Realms } from '#protocol/base/realm'
import { verifyStatement } from '#protocol/base/statement'
import type { AttestDevice } from '#protocol/devices/inception'
import {
  cancelledSchema,
  confirmationCode,
  deliveredSchema,
  deviceGrantSchema,
  type JoinRequest,
  joinedSchema,
  type Offer,
  type OfferState,
  offerSchema,
  offerStateSchema,
  type Sealed,
  sealedSchema,
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
import { normalized } from './offer-code.ts'

/** What the offering side shows to the other device, as a QR code or to read out. */
export type OfferLink = Pick<Offer, 'code' | 'token' | 'did'>

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

/** What both flows share: offer, read, join, cancel. */
class Rendezvous {
  // As results: see `safely`.
  readonly safeRead = safeTwin(this, 'read')
  readonly safeJoin = safeTwin(this, 'join')

  protected readonly transport: Transport
  protected readonly base: string
  readonly #flow: Flow
  readonly #identity: Identity | undefined
  readonly #keys: KeyHistory
  readonly #devices: Devices | undefined

  constructor(flow: Flow, parts: RendezvousParts) {
    this.#flow = flow
    this.transport = parts.transport
    this.base = parts.core + flow.path
    this.#identity = parts.identity
    this.#keys = parts.keys
    this.#devices = parts.devices
  }

  /** Opens an offer for ten minutes. Show its code, token and DID to the other device; the token is returned only here. */
  async offer(): Promise<Offer> {
    const offer = await this.#asserted('POST', '/offer', offerSchema)
    if (offer.did !== this.root.did)
      throw unverified('offer', 'wrong_identity', 'Core made the offer for another identity', { evidence: offer })
    return offer
  }

  /**
   * This identity's own offer, and what the joined device asks for. Throws if the device did not sign it, or signed it
   * for another identity.
   */
  async read(code: string): Promise<OfferState> {
    const state = await this.#asserted('GET', `/offer/${code}`, offerStateSchema)
    if (state.did !== this.root.did || state.code !== code)
      throw unverified('offer', 'different_answer', 'Core answered for a different offer', { evidence: state })
    if (state.request && !(await isSignedFor(this.root.did, state.request, this.transport.realms))) {
      throw unverified('offer', 'invalid_signature', 'The device did not sign the request')
    }
    return state
  }

  /**
   * As the offering side: waits until a device has joined, and returns its verified request. Asks at the interval that
   * the service names. Throws `not_found` (404) when the offer has expired or was declined; end it earlier with
   * `client.with({ signal })`.
   */
  wait(code: string): Promise<JoinRequest> {
    return this.answered(async () => {
      const { request, pollIntervalMs } = await this.read(code)
      return request ?? pollIntervalMs
    })
  }

  /** Ends an offer, as the side that opened it. */
  async cancel(code: string): Promise<void> {
    await this.#asserted('DELETE', `/offer/${code}`, cancelledSchema)
  }

  /** Ends an offer, as the device it was shown to. */
  async decline({ code, token }: OfferLink): Promise<void> {
    await this.withToken('DELETE', `/offer/${normalized(code)}`, token, cancelledSchema)
  }

  /**
   * As the new device: joins an offer and returns the confirmation code to compare with the other side. The root key
   * from the service is verified against the DID of the offer.
   */
  async join(
    link: OfferLink,
    device: Device,
  ): Promise<{ readonly confirmationCode: string; readonly expiresAt: number }> {
    const code = normalized(link.code)
    const body = {
      acceptance: await device.acceptance(link.did, { realm: this.transport.realm, now: this.transport.now() }),
    }
    const joined = await this.withToken('POST', `/offer/${code}/join`, link.token, joinedSchema, body)
    const { rootPublicKeyB64u } = joined
    const { devicePublicKeyB64u, kemPublicKeyB64u } = device
    const isRoot = (await this.#keys.of(link.did)).at(-1)?.publicKeyB64u === rootPublicKeyB64u
    if (joined.did !== link.did || !isRoot)
      throw unverified('offer', 'wrong_key', 'The root key does not belong to the identity of the offer', {
        evidence: joined,
      })
    return {
      confirmationCode: confirmationCode({ rootPublicKeyB64u, devicePublicKeyB64u, kemPublicKeyB64u }),
      expiresAt: joined.expiresAt,
    }
  }

  /** As the offering side: the code that the other device must show. If it shows anything else, cancel. */
  async confirmationCodeOf(request: JoinRequest): Promise<string> {
    const { devicePublicKeyB64u, kemPublicKeyB64u } = request.acceptance.statement
    return confirmationCode({ rootPublicKeyB64u: this.root.publicKeyB64u, devicePublicKeyB64u, kemPublicKeyB64u })
  }

  /**
   * As the offering side: attests the joined device if `confirmed`, the code on its screen, matches. The service is
   * asked once, so what is compared is what is attested. Throws if the codes differ.
   */
  async approve(code: string, confirmed: string, options: AttestOptions = {}): Promise<AttestDevice> {
    const { request } = await this.read(code)
    if (!request) throw new Error('No device has joined this offer')
    if (normalized(confirmed) !== (await this.confirmationCodeOf(request)))
      throw unverified('offer', 'mismatch', 'The codes differ: another device has joined, cancel the offer')
    if (!this.#devices) throw new TypeError('This needs the root key')
    return this.#devices.attest(request.acceptance, options)
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
  protected async sealFor(code: string, attestation: AttestDevice, payload: Uint8Array | undefined): Promise<Sealed> {
    const { request } = await this.read(code)
    if (!request) throw new Error('No device has joined this offer')
    const { transport, root } = this
    return sealDelivery({ transport, root, code }, { request, attestation, payload })
  }

  /** Decrypts a delivery. It must be by the current root key, for this device and this offer. */
  protected async welcome({ did }: OfferLink, code: string, device: Device, sealed: Sealed): Promise<Welcome> {
    return openDelivery({ transport: this.transport, history: this.#keys, did, code }, device, sealed)
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
    return this.#asserted('POST', path, schema, body)
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

/** Pairing: everything the new device gets is encrypted to its key. */
export class Pairing extends Rendezvous {
  // As results: see `safely`.
  readonly safeTake = safeTwin(this, 'take')

  constructor(parts: RendezvousParts) {
    super({ path: '/api/pair', audience: 'core', tokenHeader: 'X-Pairing-Token' }, parts)
  }

  /** Delivers the attestation, and at most 16 KiB more, to the joined device. */
  async seal(code: string, attestation: AttestDevice, payload?: Uint8Array): Promise<void> {
    const sealed = await this.sealFor(code, attestation, payload)
    await this.post('/seal', { code, sealed }, deliveredSchema)
  }

  /** As the new device: collects the delivery, once, and becomes a member of the identity. */
  async take(link: OfferLink, device: Device): Promise<Welcome> {
    const code = normalized(link.code)
    const sealed = await this.withToken('GET', `/seal/${code}`, link.token, sealedSchema)
    return this.welcome(link, code, device, sealed)
  }

  /**
   * As the new device: waits for the delivery and takes it. Asks at the interval that the service names. Throws
   * `not_found` (404) when the offer has expired or was cancelled; end it earlier with `client.with({ signal })`.
   */
  waitToTake(link: OfferLink, device: Device): Promise<Welcome> {
    return this.answered(() => this.take(link, device))
  }
}

/** The authorization relay: an attestation in plaintext and a key wrapped for the device. */
export class Authorization extends Rendezvous {
  // As results: see `safely`.
  readonly safeTake = safeTwin(this, 'take')

  constructor(parts: RendezvousParts) {
    super({ path: '/api/authorize', audience: 'chain', tokenHeader: 'X-Offer-Token' }, parts)
  }

  /** Delivers to the joined device its current attestation and a key of at most 16 KiB. */
  async grant(code: string, attestation: AttestDevice, key: Uint8Array): Promise<void> {
    const wrappedKey = await this.sealFor(code, attestation, key)
    await this.post('/grant', { code, grant: { attestation, wrappedKey } }, deliveredSchema)
  }

  /** As the new device: collects the grant, once, and becomes a member of the identity. */
  async take(link: OfferLink, device: Device): Promise<Welcome> {
    const code = normalized(link.code)
    const { wrappedKey } = await this.withToken('GET', `/grant/${code}`, link.token, deviceGrantSchema)
    return this.welcome(link, code, device, wrappedKey)
  }

  /**
   * As the new device: waits for the delivery and takes it. Asks at the interval that the service names. Throws
   * `not_found` (404) when the offer has expired or was cancelled; end it earlier with `client.with({ signal })`.
   */
  waitToTake(link: OfferLink, device: Device): Promise<Welcome> {
    return this.answered(() => this.take(link, device))
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
