import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { deviceIdOf } from '@svc/protocol/device'
import type { AttestDevice } from '@svc/protocol/inception'
import {
  cancelledSchema,
  confirmationCode,
  contentsHash,
  deliveredSchema,
  deviceGrantSchema,
  type JoinRequest,
  joinedSchema,
  type Offer,
  type OfferState,
  offerSchema,
  offerStateSchema,
  type Sealed,
  type SealedContents,
  sealedContentsSchema,
  sealedSchema,
} from '@svc/protocol/rendezvous'
import { signStatement, verifyStatement } from '@svc/protocol/statement'
import type * as z from 'zod'
import type { Device } from './device.ts'
import type { AttestOptions, Devices } from './devices.ts'
import type { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import { open, seal } from './sealing.ts'
import type { Transport } from './transport.ts'

/** What the offering person shows to the other device: by QR code, or read out. */
export type OfferLink = Pick<Offer, 'code' | 'token' | 'did'>

/** What a device gets when it is taken in. */
export interface Welcome {
  /** The device as a member of the identity, ready to make assertions. */
  readonly device: Device
  readonly attestation: AttestDevice
  /** What the root's device has sent along, or null. */
  readonly payload: Uint8Array | null
}

interface Flow {
  readonly path: '/api/pair' | '/api/authorize'
  readonly audience: 'core' | 'chain'
  readonly tokenHeader: 'X-Pairing-Token' | 'X-Offer-Token'
}

export interface RendezvousParts {
  readonly transport: Transport
  readonly core: string
  readonly keys: KeyHistory
  /** Of whoever makes offers; a device that only joins has neither. */
  readonly identity: Identity | undefined
  readonly devices: Devices | undefined
}

/** What both flows share: offer, look, join, cancel. */
class Rendezvous {
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

  /** Opens an offer for ten minutes. Show its code, token and DID to the other device; the token is not told again. */
  async offer(): Promise<Offer> {
    const offer = await this.#asserted('POST', '/offer', offerSchema)
    if (offer.did !== this.root.did) throw new Error('core made the offer for another identity')
    return offer
  }

  /**
   * This identity's own offer, and what the device that has joined asks for. Throws when that device has not signed it,
   * or signed it for another identity.
   */
  async read(code: string): Promise<OfferState> {
    const state = await this.#asserted('GET', `/offer/${code}`, offerStateSchema)
    if (state.did !== this.root.did || state.code !== code) throw new Error('core answered for another offer')
    if (state.request && !(await isSignedFor(this.root.did, state.request))) {
      throw new Error('the request is not of the device that it names')
    }
    return state
  }

  /** Ends an offer, as the one who opened it. */
  async cancel(code: string): Promise<void> {
    await this.#asserted('DELETE', `/offer/${code}`, cancelledSchema)
  }

  /** Ends an offer, as the device that it was shown to. */
  async decline({ code, token }: OfferLink): Promise<void> {
    await this.withToken('DELETE', `/offer/${normalized(code)}`, token, cancelledSchema)
  }

  /**
   * As the new device: joins an offer, and gives the confirmation code to compare with the other side. The root key
   * that the service names is checked against the DID of the offer.
   */
  async join(
    link: OfferLink,
    device: Device,
  ): Promise<{ readonly confirmationCode: string; readonly expiresAt: number }> {
    const code = normalized(link.code)
    const body = { acceptance: await device.acceptance(link.did, this.transport.now()) }
    const joined = await this.withToken('POST', `/offer/${code}/join`, link.token, joinedSchema, body)
    const { rootPublicKeyB64u } = joined
    const { devicePublicKeyB64u, kemPublicKeyB64u } = device
    const isRoot = (await this.#keys.of(link.did)).at(-1)?.publicKeyB64u === rootPublicKeyB64u
    if (joined.did !== link.did || !isRoot) throw new Error('the root key is not of the identity that made the offer')
    return {
      confirmationCode: confirmationCode({ rootPublicKeyB64u, devicePublicKeyB64u, kemPublicKeyB64u }),
      expiresAt: joined.expiresAt,
    }
  }

  /** As the one who opened the offer: what the other device must show too. Anything else is another device. */
  confirmationCodeOf(request: JoinRequest): string {
    const { devicePublicKeyB64u, kemPublicKeyB64u } = request.acceptance.statement
    return confirmationCode({ rootPublicKeyB64u: this.root.publicKeyB64u, devicePublicKeyB64u, kemPublicKeyB64u })
  }

  /**
   * As the one who opened the offer: takes in the device that has joined, if it shows `confirmed`, the code that was read
   * from its screen. What is compared is what is attested: the service is asked once. Throws when the codes differ.
   */
  async approve(code: string, confirmed: string, options: AttestOptions = {}): Promise<AttestDevice> {
    const { request } = await this.read(code)
    if (!request) throw new Error('no device has joined this offer')
    if (normalized(confirmed) !== this.confirmationCodeOf(request))
      throw new Error('the codes differ: it is another device')
    if (!this.#devices) throw new TypeError('this needs the root key')
    return this.#devices.attest(request.acceptance, options)
  }

  protected get root(): Identity {
    if (!this.#identity) throw new TypeError('this needs the root key')
    return this.#identity
  }

  /**
   * Seals for the device that has joined, to the key that it had when it was attested: what the service says by now
   * was compared with nobody.
   */
  protected async sealFor(code: string, attestation: AttestDevice, payload: Uint8Array | undefined): Promise<Sealed> {
    const { acceptance } = attestation
    const { request } = await this.read(code)
    if (!request) throw new Error('no device has joined this offer')
    const { deviceId, kemPublicKeyB64u } = acceptance.statement
    const joined = request.acceptance.statement
    if (joined.deviceId !== deviceId || joined.kemPublicKeyB64u !== kemPublicKeyB64u) {
      throw new Error('another device has joined this offer')
    }
    const contents = { attestation, payloadB64u: payload ? encodeBase64url(payload) : null }
    const delivery = await this.#sign(code, deviceId, contents)
    const plaintext = new TextEncoder().encode(JSON.stringify({ ...contents, delivery }))
    return seal(plaintext, kemPublicKeyB64u, { code, deviceId })
  }

  #sign(code: string, deviceId: string, contents: Pick<SealedContents, 'attestation' | 'payloadB64u'>) {
    const { did, scope } = this.root
    const issuedAt = this.transport.now()
    const statement = {
      type: 'svc/delivery/v1',
      did,
      scope,
      code,
      deviceId,
      contentsHash: contentsHash(contents),
      issuedAt,
    } as const
    return signStatement(statement, (message) => this.root.sign(message))
  }

  /** Opens what was sealed. It must be of the root key that is current, for this device, over this offer. */
  protected async welcome({ did }: OfferLink, code: string, device: Device, sealed: Sealed): Promise<Welcome> {
    const { deviceId } = device
    const opened = await open(sealed, device, { code, deviceId })
    const contents = sealedContentsSchema.parse(JSON.parse(new TextDecoder().decode(opened)))
    const { attestation, payloadB64u, delivery } = contents
    if (attestation.statement.did !== did) throw new Error('the attestation is of another identity')
    const keys = await this.#keys.of(did)
    const root = keys.at(-1) ?? keys[0]
    const member = await device.attested(attestation, keys)
    const { statement } = delivery
    const isDelivered =
      statement.scope === keys[0].userId &&
      statement.code === code &&
      statement.deviceId === deviceId &&
      statement.contentsHash === contentsHash(contents) &&
      (await verifyStatement(delivery, bytesOf(root.publicKeyB64u)))
    if (!isDelivered) throw new Error('what was sealed is not of the identity that made the offer')
    return { device: member, attestation, payload: payloadB64u === null ? null : bytesOf(payloadB64u) }
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

/** Pairing (document 1 section 4.8): everything that the new device gets is sealed to its key. */
export class Pairing extends Rendezvous {
  constructor(parts: RendezvousParts) {
    super({ path: '/api/pair', audience: 'core', tokenHeader: 'X-Pairing-Token' }, parts)
  }

  /** Leaves the attestation, and at most 16 KiB besides, for the device that has joined. */
  async seal(code: string, attestation: AttestDevice, payload?: Uint8Array): Promise<void> {
    const sealed = await this.sealFor(code, attestation, payload)
    await this.post('/seal', { code, sealed }, deliveredSchema)
  }

  /** As the new device: takes what was sealed, once, and becomes a member of the identity. */
  async take(link: OfferLink, device: Device): Promise<Welcome> {
    const code = normalized(link.code)
    const sealed = await this.withToken('GET', `/seal/${code}`, link.token, sealedSchema)
    return this.welcome(link, code, device, sealed)
  }
}

/** The authorization relay (document 1 section 4.9): an attestation in the open and a key wrapped for the device. */
export class Authorization extends Rendezvous {
  constructor(parts: RendezvousParts) {
    super({ path: '/api/authorize', audience: 'chain', tokenHeader: 'X-Offer-Token' }, parts)
  }

  /** Grants the device that has joined its attestation, which is in force, and a key of at most 16 KiB. */
  async grant(code: string, attestation: AttestDevice, key: Uint8Array): Promise<void> {
    const wrappedKey = await this.sealFor(code, attestation, key)
    await this.post('/grant', { code, grant: { attestation, wrappedKey } }, deliveredSchema)
  }

  /** As the new device: takes the grant, once, and becomes a member of the identity. */
  async take(link: OfferLink, device: Device): Promise<Welcome> {
    const code = normalized(link.code)
    const { wrappedKey } = await this.withToken('GET', `/grant/${code}`, link.token, deviceGrantSchema)
    return this.welcome(link, code, device, wrappedKey)
  }
}

/** Whether the device that a request names has signed that it joins this identity. */
async function isSignedFor(did: string, { acceptance }: JoinRequest): Promise<boolean> {
  const { statement } = acceptance
  const isNamed = statement.did === did && deviceIdOf(statement.devicePublicKeyB64u) === statement.deviceId
  return isNamed && verifyStatement(acceptance, bytesOf(statement.devicePublicKeyB64u))
}

/** As a person types it: any case, with or without hyphens, and with the letters that the alphabet leaves out. */
export function normalized(typed: string): string {
  // Whatever else is in it, such as a path of a hostile link, is no part of a code.
  const text = typed
    .toUpperCase()
    .replaceAll(/[\s-]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')
    .replaceAll(/[^0-9A-Z]/g, '')
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
}
