import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { reaching } from '@svc/protocol/base/dependency-fault'
import { deviceIdOf } from '@svc/protocol/base/device'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { verifyStatement } from '@svc/protocol/base/statement'
import { eventHash } from '@svc/protocol/devices/inception'
import { hashOfToken } from '@svc/protocol/devices/offer-keys'
import {
  type DeviceGrant,
  type JoinRequest,
  OFFER_LIFETIME_MS,
  type Offer,
  type Offerer,
  type OfferState,
  type OpenOffer,
  POLL_INTERVAL_MS,
  type Sealed,
} from '@svc/protocol/devices/rendezvous'
import type { IdentityService } from '../identity/service.ts'
import type { AttestedDevice, DeviceService } from '../inception/device-service.ts'
import type { OfferCaller, RendezvousObject } from './object.ts'
import type { Flow, OfferCodes } from './offer-code.ts'
import type { OfferRefusal, OfferRow } from './rules.ts'

type Joined = { readonly did: string; readonly expiresAt: number; readonly rootPublicKeyB64u: string }
export type JoinRefusal = OfferRefusal | { readonly reason: 'invalid_signature' | 'device_mismatch' }
export type GrantRefusal = OfferRefusal | { readonly reason: 'attestation_unverifiable' | 'device_index_unavailable' }

/** How many codes are tried when a new one is minted: each is taken with a chance of one in 34 billion per open offer. */
const MINT_ATTEMPTS = 3

/** Offers of both flows. Deliveries are sealed to the joining device; this service only carries them. */
export class RendezvousService {
  readonly #objects: DurableObjectNamespace<RendezvousObject>
  readonly #codes: OfferCodes
  readonly #identities: IdentityService
  readonly #devices: DeviceService
  readonly #realms: Realms

  constructor(parts: {
    readonly objects: DurableObjectNamespace<RendezvousObject>
    readonly codes: OfferCodes
    readonly identities: IdentityService
    readonly devices: DeviceService
    readonly realms: Realms
  }) {
    this.#objects = parts.objects
    this.#codes = parts.codes
    this.#identities = parts.identities
    this.#devices = parts.devices
    this.#realms = parts.realms
  }

  /** Null if the deployment has no seed to mint codes with. Issues a token unless the caller has derived one. */
  async offer(flow: Flow, did: string, asked: OpenOffer | undefined, now: number): Promise<Offer | null> {
    const token = asked ? null : encodeBase64url(crypto.getRandomValues(new Uint8Array(32)))
    const tokenHash = asked?.tokenHash ?? hashOfToken(token ?? '')
    const proof = asked?.proofB64u ?? null
    const expiresAt = now + OFFER_LIFETIME_MS
    for (let attempt = 0; attempt < MINT_ATTEMPTS; attempt++) {
      const code = await this.#codes.mint(flow)
      if (code === null) return null
      const offer = { flow, did, tokenHash, proof, expiresAt }
      if (await this.#call(code, async (object) => object.open(offer))) {
        return { code, token, did, expiresAt, pollIntervalMs: POLL_INTERVAL_MS }
      }
    }
    return null
  }

  async state(flow: Flow, code: string, did: string): Promise<Result<OfferState, OfferRefusal>> {
    const row = await this.#ask(flow, code, async (object) => object.asked(flow, did))
    if (!row.ok) return row
    const { status, expiresAt, request } = row.value
    return ok({ code, did, status, expiresAt, request, pollIntervalMs: POLL_INTERVAL_MS })
  }

  /** Who offers, with the current root key and the newest event of that identity. */
  async offerer(flow: Flow, code: string, token: string): Promise<Result<Offerer, OfferRefusal>> {
    const row = await this.#ask(flow, code, async (object) => object.look(flow, hashOfToken(token)))
    if (!row.ok) return row
    const { did, proof, expiresAt } = row.value
    const read = await this.#identities.ask(did, async (object) => object.offerer())
    if (read?.identity.deactivatedAt !== null) return err({ reason: 'not_found' })
    const { identity, inception } = read
    const rootPublicKeyB64u = encodeBase64url(identity.current.publicKey)
    return ok({ did, rootPublicKeyB64u, proofB64u: proof, inception, expiresAt })
  }

  /** Verifies that the device holds its key before the offer is called. */
  async join(flow: Flow, code: string, token: string, request: JoinRequest): Promise<Result<Joined, JoinRefusal>> {
    if (!(await this.#codes.isOurs(flow, code))) return err({ reason: 'not_found' })
    const { acceptance } = request
    const { deviceId, devicePublicKeyB64u } = acceptance.statement
    if (deviceIdOf(devicePublicKeyB64u) !== deviceId) return err({ reason: 'device_mismatch' })
    const isSigned = await verifyStatement(acceptance, bytesOf(devicePublicKeyB64u), this.#realms)
    if (!isSigned) return err({ reason: 'invalid_signature' })
    const joined = await this.#ask(flow, code, async (object) => object.join(flow, hashOfToken(token), request))
    if (!joined.ok) return joined
    const { did, expiresAt } = joined.value
    const rootPublicKeyB64u = await this.#rootKeyOf(did)
    if (rootPublicKeyB64u === null) return err({ reason: 'not_found' })
    return ok({ did, expiresAt, rootPublicKeyB64u })
  }

  async #rootKeyOf(did: string): Promise<string | null> {
    const identity = await this.#identities.ask(did, async (object) => object.read())
    return identity?.deactivatedAt === null ? encodeBase64url(identity.current.publicKey) : null
  }

  seal(code: string, did: string, sealed: Sealed): Promise<Result<OfferRow, OfferRefusal>> {
    return this.#ask('pairing', code, async (object) => object.deliver('pairing', did, JSON.stringify(sealed)))
  }

  /** The attestation must be in force at core, for the very device that joined and by the granting identity. */
  async grant(code: string, did: string, grant: DeviceGrant, now: number): Promise<Result<OfferRow, GrantRefusal>> {
    const offer = await this.#ask('authorization', code, async (object) => object.state('authorization', did))
    if (!offer.ok) return offer
    const { status, request } = offer.value
    if (status !== 'joined' || !request) return err({ reason: 'offer_state', status })
    const device = await this.#devices.attested(request.acceptance.statement.deviceId)
    if (!device.ok && device.error.reason === 'device_index_unavailable') return err({ reason: device.error.reason })
    if (!device.ok || !isInForce(device.value, did, grant, now)) return err({ reason: 'attestation_unverifiable' })
    return this.#ask('authorization', code, async (object) =>
      object.deliver('authorization', did, JSON.stringify(grant)),
    )
  }

  consume(flow: Flow, code: string, token: string): Promise<Result<string, OfferRefusal>> {
    return this.#ask(flow, code, async (object) => object.consume(flow, hashOfToken(token)))
  }

  cancel(flow: Flow, code: string, caller: { did: string } | { token: string }): Promise<Result<void, OfferRefusal>> {
    const as: OfferCaller = 'did' in caller ? caller : { tokenHash: hashOfToken(caller.token) }
    return this.#ask(flow, code, async (object) => object.cancel(flow, as))
  }

  /** A code that this deployment did not mint is unknown, and no object is called for it. */
  async #ask<T, E>(
    flow: Flow,
    code: string,
    work: (object: DurableObjectStub<RendezvousObject>) => Promise<Result<T, E>>,
  ): Promise<Result<T, E | { reason: 'not_found' }>> {
    if (!(await this.#codes.isOurs(flow, code))) return err({ reason: 'not_found' })
    return this.#call(code, work)
  }

  #call<T>(code: string, work: (object: DurableObjectStub<RendezvousObject>) => Promise<T>): Promise<T> {
    return reaching('rendezvous', () => work(this.#objects.getByName(code)))
  }
}

function isInForce({ record, attestation }: AttestedDevice, did: string, grant: DeviceGrant, now: number): boolean {
  const { status, expiresAt } = record
  const isStanding = record.did === did && status === 'active' && (expiresAt === null || now < expiresAt)
  return isStanding && eventHash(grant.attestation) === eventHash(attestation)
}
