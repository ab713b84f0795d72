import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

/** Of the local platform. */
export const RP_ID = 'localhost'
export const ORIGIN = 'http://localhost:3000'

const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest()
const b64u = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url')
/** User present and verified; `ATTESTED` with a key. */
const VERIFIED = 0x05
const ATTESTED = 0x40

/** A passkey in software: ES256, without attestation. */
export class Authenticator {
  readonly #id = randomBytes(16)
  readonly #privateKey: KeyObject
  readonly #publicKey: Buffer
  #userHandle = ''
  #counter = 0

  constructor() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.#privateKey = privateKey
    // COSE (RFC 9053): a map of key type EC2, ES256, P-256, x and y.
    const coordinate = (of: string) => Buffer.concat([Buffer.of(0x58, 0x20), Buffer.from(of, 'base64url')])
    const head = Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21)
    this.#publicKey = Buffer.concat([head, coordinate(x), Buffer.of(0x22), coordinate(y)])
  }

  get publicKeyB64(): string {
    return this.#publicKey.toString('base64')
  }

  /** The answer to the options of a registration. */
  create({ challenge, user }: { readonly challenge: string; readonly user?: { readonly id: string } }): object {
    this.#userHandle = user?.id ?? ''
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.of(0, this.#id.length), this.#id, this.#publicKey])
    const authData = Buffer.concat([this.#authData(VERIFIED | ATTESTED), attested])
    // CBOR: a map of three, whose last value is a byte string of up to 255 bytes.
    const text = (value: string) => Buffer.concat([Buffer.of(0x60 | value.length), Buffer.from(value)])
    const attestationObject = Buffer.concat([
      Buffer.of(0xa3),
      text('fmt'),
      text('none'),
      text('attStmt'),
      Buffer.of(0xa0),
      text('authData'),
      Buffer.of(0x58, authData.length),
      authData,
    ])
    const clientDataJSON = clientData('webauthn.create', challenge)
    return this.#answer({ clientDataJSON, attestationObject: b64u(attestationObject), transports: ['internal'] })
  }

  /** The answer to a challenge. */
  get(challenge: string): object {
    this.#counter += 1
    const [authData, clientDataJSON] = [this.#authData(VERIFIED), clientData('webauthn.get', challenge)]
    const signed = Buffer.concat([authData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
    return this.#answer({
      clientDataJSON,
      authenticatorData: b64u(authData),
      signature: b64u(sign('sha256', signed, this.#privateKey)),
      userHandle: this.#userHandle,
    })
  }

  #authData(flags: number): Buffer {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(this.#counter)
    return Buffer.concat([sha256(RP_ID), Buffer.of(flags), counter])
  }

  #answer(response: object): object {
    return { id: b64u(this.#id), rawId: b64u(this.#id), type: 'public-key', response, clientExtensionResults: {} }
  }
}

const clientData = (type: string, challenge: string) => b64u(JSON.stringify({ type, challenge, origin: ORIGIN }))
