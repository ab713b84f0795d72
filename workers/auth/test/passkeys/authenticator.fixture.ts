/** An authenticator in software: ES256, RS256 or EdDSA, `none` attestation, every field open to be wrong. */
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import type { Exchange } from '@svc/service/testing'
import { dataOf, freshGrant, post } from '../harness.ts'

export const RP_ID = 'localhost'
export const PAGE = 'http://localhost:3000'
const NO_MAKE = '00000000-0000-0000-0000-000000000000'
const UP = 0x01
const UV = 0x04
const AT = 0x40

const ED = 0x80

export type Cbor = number | string | boolean | Uint8Array | readonly Cbor[] | Map<number | string, Cbor>

function head(major: number, value: number): Uint8Array {
  if (value < 24) return new Uint8Array([(major << 5) | value])
  if (value < 256) return new Uint8Array([(major << 5) | 24, value])
  return new Uint8Array([(major << 5) | 25, value >> 8, value & 255])
}

function cbor(value: Cbor): Uint8Array {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value)
  if (typeof value === 'boolean') return new Uint8Array([value ? 0xf5 : 0xf4])
  if (typeof value === 'string') return concatBytes(head(3, utf8ToBytes(value).length), utf8ToBytes(value))
  if (value instanceof Uint8Array) return concatBytes(head(2, value.length), value)
  if (!(value instanceof Map)) return concatBytes(head(4, value.length), ...value.map(cbor))
  return concatBytes(head(5, value.size), ...[...value].flatMap(([name, member]) => [cbor(name), cbor(member)]))
}

const sha256 = async (bytes: Uint8Array) => new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))
const u32 = (value: number) =>
  new Uint8Array([value >>> 24, value >>> 16, value >>> 8, value].map((byte) => byte & 255))

const KEYS = {
  [-7]: { name: 'ECDSA', namedCurve: 'P-256' },
  [-8]: { name: 'Ed25519' },
  [-257]: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  },
} as const
export type Algorithm = keyof typeof KEYS

/** What a page or an authenticator may get wrong. */
export interface Faults {
  readonly challenge?: string
  readonly origin?: string
  readonly type?: string
  readonly rpId?: string
  readonly flags?: number
  readonly counter?: number
  readonly userHandle?: string | null
  readonly signature?: (signature: Uint8Array) => Uint8Array
  readonly alg?: number
  readonly members?: object
  /** Of `response`. */
  readonly response?: object
  /** Of the client data. */
  readonly page?: object
  /** What extensions put into the authenticator data. */
  readonly extensions?: Map<string, Cbor>
  /** Instead of no attestation. */
  readonly attestation?: { readonly fmt: string; readonly attStmt: Map<string, Cbor> }
}

/** What is of the make of an authenticator. */
export interface Make {
  readonly aaguid?: string
  readonly idBytes?: number
}

interface Options {
  readonly challenge: string
  readonly user?: { readonly id: string }
  readonly [member: string]: unknown
}
export interface Begun {
  readonly ceremonyId: string
  readonly options: Options
}

export class Authenticator {
  readonly id: string
  counter: number
  userHandle = ''
  readonly #keys: CryptoKeyPair
  readonly #alg: Algorithm
  readonly #aaguid: Uint8Array

  private constructor(keys: CryptoKeyPair, alg: Algorithm, counter: number, { aaguid = NO_MAKE, idBytes = 16 }: Make) {
    this.id = encodeBase64url(crypto.getRandomValues(new Uint8Array(idBytes)))
    this.#aaguid = hexToBytes(aaguid.replaceAll('-', ''))
    this.#keys = keys
    this.#alg = alg
    this.counter = counter
  }

  static async create(alg: Algorithm = -7, counter = 1, make: Make = {}): Promise<Authenticator> {
    const keys = (await crypto.subtle.generateKey(KEYS[alg], true, ['sign', 'verify'])) as CryptoKeyPair
    return new Authenticator(keys, alg, counter, make)
  }

  async create({ options }: Pick<Begun, 'options'>, faults: Faults = {}) {
    this.userHandle = options.user?.id ?? ''
    const id = bytesOf(this.id)
    const length = new Uint8Array([id.length >> 8, id.length & 255])
    const attested = concatBytes(this.#aaguid, length, id, await this.#cose(faults.alg))
    const authData = await this.#authData(faults, AT, attested)
    const { fmt = 'none', attStmt = new Map() } = faults.attestation ?? {}
    const attestationObject = cbor(
      new Map<string, Cbor>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ]),
    )
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      response: {
        clientDataJSON: encodeBase64url(clientData('webauthn.create', options, faults)),
        attestationObject: encodeBase64url(attestationObject),
        transports: ['internal'],
        ...faults.response,
      },
      clientExtensionResults: { prf: { enabled: true } },
      ...faults.members,
    }
  }

  async get({ options }: Begun, faults: Faults = {}) {
    if (faults.counter === undefined && this.counter > 0) this.counter += 1
    const authData = await this.#authData(faults, 0)
    const clientDataJSON = clientData('webauthn.get', options, faults)
    const signature = await this.#sign(concatBytes(authData, await sha256(clientDataJSON)))
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      response: {
        clientDataJSON: encodeBase64url(clientDataJSON),
        authenticatorData: encodeBase64url(authData),
        signature: encodeBase64url(faults.signature?.(signature) ?? signature),
        userHandle: faults.userHandle === undefined ? this.userHandle : faults.userHandle,
        ...faults.response,
      },
      clientExtensionResults: {},
      ...faults.members,
    }
  }

  async #authData(faults: Faults, also: number, attested = new Uint8Array()) {
    const { rpId = RP_ID, flags = UP | UV, counter = this.counter, extensions } = faults
    const set = new Uint8Array([flags | also | (extensions ? ED : 0)])
    const outputs = extensions ? cbor(extensions) : new Uint8Array()
    return concatBytes(await sha256(utf8ToBytes(rpId)), set, u32(counter), attested, outputs)
  }

  async #cose(claimed: number = this.#alg): Promise<Uint8Array> {
    const jwk = (await crypto.subtle.exportKey('jwk', this.#keys.publicKey)) as JsonWebKey
    const bytes = (name: 'x' | 'y' | 'n' | 'e') => bytesOf(jwk[name] ?? '')
    const members: [number, Cbor][] =
      this.#alg === -257
        ? [
            [1, 3],
            [3, claimed],
            [-1, bytes('n')],
            [-2, bytes('e')],
          ]
        : this.#alg === -8
          ? [
              [1, 1],
              [3, claimed],
              [-1, 6],
              [-2, bytes('x')],
            ]
          : [
              [1, 2],
              [3, claimed],
              [-1, 1],
              [-2, bytes('x')],
              [-3, bytes('y')],
            ]
    return cbor(new Map(members))
  }

  async #sign(bytes: Uint8Array): Promise<Uint8Array> {
    const algorithm = this.#alg === -7 ? { name: 'ECDSA', hash: 'SHA-256' } : KEYS[this.#alg]
    const raw = new Uint8Array(await crypto.subtle.sign(algorithm, this.#keys.privateKey, new Uint8Array(bytes)))
    return this.#alg === -7 ? der(raw) : raw
  }
}

function clientData(type: string, { challenge }: Options, faults: Faults): Uint8Array {
  const { origin = PAGE, page } = faults
  const data = { type: faults.type ?? type, challenge: faults.challenge ?? challenge, origin, ...page }
  return utf8ToBytes(JSON.stringify(data))
}

/** ECDSA as authenticators give it: SEQUENCE of two INTEGERs, each in its shortest form. */
function der(raw: Uint8Array): Uint8Array {
  const integer = (bytes: Uint8Array) => {
    const start = bytes.findIndex((byte) => byte !== 0)
    const short = bytes.slice(start === -1 ? bytes.length - 1 : start)
    const value = (short[0] ?? 0) > 127 ? concatBytes(new Uint8Array([0]), short) : short
    return concatBytes(new Uint8Array([2, value.length]), value)
  }
  const both = concatBytes(integer(raw.slice(0, 32)), integer(raw.slice(32)))
  return concatBytes(new Uint8Array([0x30, both.length]), both)
}

export async function creationOptions(grant: string, members: object = {}): Promise<Begun> {
  return dataOf<Begun>(await post('passkey/register', { step: 'options', grant, name: 'Ada', ...members }))
}
export async function requestOptions(): Promise<Begun> {
  return dataOf<Begun>(await post('passkey/authenticate', { step: 'options' }))
}
export const verifyCreation = ({ ceremonyId }: Begun, response: object): Promise<Exchange> =>
  post('passkey/register', { step: 'verify', ceremonyId, response })
export const verifyRequest = ({ ceremonyId }: Begun, response: object): Promise<Exchange> =>
  post('passkey/authenticate', { step: 'verify', ceremonyId, response })

/** A registration from a grant to the answer. */
export async function registerBy(authenticator: Authenticator, grant?: string, label?: string): Promise<Exchange> {
  const begun = await creationOptions(grant ?? (await freshGrant()), label === undefined ? {} : { label })
  return verifyCreation(begun, await authenticator.create(begun))
}

export async function signInBy(authenticator: Authenticator, faults: Faults = {}): Promise<Exchange> {
  const begun = await requestOptions()
  return verifyRequest(begun, await authenticator.get(begun, faults))
}

/** A signature by nobody, still DER. */
export function withLastBitFlipped(signature: Uint8Array): Uint8Array {
  const last = signature.length - 1
  return signature.with(last, (signature[last] ?? 0) ^ 1)
}
