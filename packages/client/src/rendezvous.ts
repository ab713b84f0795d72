import { bytesOf, encodeBase64url } from '@svc/protocol/base64url'
import { didOf, userIdOfKey } from '@svc/protocol/identity'
import { type AttestDevice, attestDeviceSchema } from '@svc/protocol/inception'
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
  sealedSchema,
} from '@svc/protocol/rendezvous'
import * as z from 'zod'
import type { Device } from './device.ts'
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

const sealedPairingSchema = z.strictObject({ attestation: attestDeviceSchema, payload: z.string().nullable() })

interface Flow {
  readonly path: '/api/pair' | '/api/authorize'
  readonly audience: 'core' | 'chain'
  readonly tokenHeader: 'X-Pairing-Token' | 'X-Offer-Token'
}

/** What both flows share: offer, look, join, cancel. */
class Rendezvous {
  protected readonly transport: Transport
  protected readonly base: string
  readonly #flow: Flow
  readonly #identity: Identity | undefined
  readonly #keys: KeyHistory

  constructor(flow: Flow, transport: Transport, core: string, identity: Identity | undefined, keys: KeyHistory) {
    this.#flow = flow
    this.transport = transport
    this.base = core + flow.path
    this.#identity = identity
    this.#keys = keys
  }

  /** Opens an offer for ten minutes. Show its code, token and DID to the other device; the token is not told again. */
  offer(): Promise<Offer> {
    return this.#asserted('POST', '/offer', offerSchema)
  }

  /** This identity's own offer, and what the device that has joined asks for. */
  read(code: string): Promise<OfferState> {
    return this.#asserted('GET', `/offer/${code}`, offerStateSchema)
  }

  /** Ends an offer, as the one who opened it. */
  async cancel(code: string): Promise<void> {
    await this.#asserted('DELETE', `/offer/${code}`, cancelledSchema)
  }

  /** Ends an offer, as the device that it was shown to. */
  async decline({ code, token }: OfferLink): Promise<void> {
    await this.withToken('DELETE', `/offer/${code}`, token, cancelledSchema)
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
    const isGenesisKey = didOf(userIdOfKey(rootPublicKeyB64u)) === link.did
    const isRoot = isGenesisKey || (await this.#keys.of(link.did)).at(-1)?.publicKeyB64u === rootPublicKeyB64u
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

  protected get root(): Identity {
    if (!this.#identity) throw new TypeError('this needs the root key')
    return this.#identity
  }

  protected async joinedRequest(code: string): Promise<JoinRequest> {
    const { request } = await this.read(code)
    if (!request) throw new Error('no device has joined this offer')
    return request
  }

  protected async welcome(device: Device, attestation: AttestDevice, payload: Uint8Array | null): Promise<Welcome> {
    const keys = await this.#keys.of(attestation.statement.did)
    return { device: await device.attested(attestation, keys), attestation, payload }
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
  constructor(transport: Transport, core: string, identity: Identity | undefined, keys: KeyHistory) {
    super({ path: '/api/pair', audience: 'core', tokenHeader: 'X-Pairing-Token' }, transport, core, identity, keys)
  }

  /** Leaves the attestation, and at most 16 KiB besides, for the device that has joined. */
  async seal(code: string, attestation: AttestDevice, payload?: Uint8Array): Promise<void> {
    const { acceptance } = await this.joinedRequest(code)
    const { deviceId, kemPublicKeyB64u } = acceptance.statement
    if (attestation.statement.deviceId !== deviceId) throw new Error('another device has joined this offer')
    const contents = { attestation, payload: payload ? encodeBase64url(payload) : null }
    const plaintext = new TextEncoder().encode(JSON.stringify(contents))
    const sealed = await seal(plaintext, kemPublicKeyB64u, { code, deviceId })
    await this.post('/seal', { code, sealed }, deliveredSchema)
  }

  /** As the new device: takes what was sealed, once, and becomes a member of the identity. */
  async take(link: OfferLink, device: Device): Promise<Welcome> {
    const code = normalized(link.code)
    const sealed = await this.withToken('GET', `/seal/${code}`, link.token, sealedSchema)
    const opened = await open(sealed, device, { code, deviceId: device.deviceId })
    const { attestation, payload } = sealedPairingSchema.parse(JSON.parse(new TextDecoder().decode(opened)))
    if (attestation.statement.did !== link.did) throw new Error('the attestation is of another identity')
    return this.welcome(device, attestation, payload === null ? null : bytesOf(payload))
  }
}

/** The authorization relay (document 1 section 4.9): an attestation in the open and a key wrapped for the device. */
export class Authorization extends Rendezvous {
  constructor(transport: Transport, core: string, identity: Identity | undefined, keys: KeyHistory) {
    super({ path: '/api/authorize', audience: 'chain', tokenHeader: 'X-Offer-Token' }, transport, core, identity, keys)
  }

  /** Grants the device that has joined its attestation, which is in force, and a key of at most 16 KiB. */
  async grant(code: string, attestation: AttestDevice, key: Uint8Array): Promise<void> {
    const { acceptance } = await this.joinedRequest(code)
    const { deviceId, kemPublicKeyB64u } = acceptance.statement
    const wrappedKey = await seal(key, kemPublicKeyB64u, { code, deviceId })
    await this.post('/grant', { code, grant: { attestation, wrappedKey } }, deliveredSchema)
  }

  /** As the new device: takes the grant, once, and becomes a member of the identity. */
  async take(link: OfferLink, device: Device): Promise<Welcome> {
    const code = normalized(link.code)
    const { attestation, wrappedKey } = await this.withToken('GET', `/grant/${code}`, link.token, deviceGrantSchema)
    if (attestation.statement.did !== link.did) throw new Error('the attestation is of another identity')
    return this.welcome(device, attestation, await open(wrappedKey, device, { code, deviceId: device.deviceId }))
  }
}

/** As a person types it: any case, with or without hyphens, and with the letters that the alphabet leaves out. */
export function normalized(typed: string): string {
  const text = typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return `${text.slice(0, 4)}-${text.slice(4, 8)}-${text.slice(8)}`
}
