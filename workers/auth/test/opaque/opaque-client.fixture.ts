/** A client of OPAQUE in a few lines, as RFC 9807 section 6 has it, with no stretching: it is here to test the server. */

import { ristretto255, ristretto255_oprf } from '@noble/curves/ed25519.js'
import { expand, extract } from '@noble/hashes/hkdf.js'
import { hmac } from '@noble/hashes/hmac.js'
import { sha512 } from '@noble/hashes/sha2.js'
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import type { Exchange } from '@svc/service/testing'
import { server } from '../../src/opaque/server.fixture.ts'
import { dataOf, freshGrant, post, prober } from '../harness.ts'

const { oprf } = ristretto255_oprf
const { Point } = ristretto255
const EMPTY = new Uint8Array()
const expanded = (key: Uint8Array, ...info: Uint8Array[]) => expand(sha512, key, concatBytes(...info), 64)
const sized = (bytes: Uint8Array) => concatBytes(new Uint8Array([bytes.length >> 8, bytes.length & 255]), bytes)
const random = () => crypto.getRandomValues(new Uint8Array(32))

function randomizedPassword(password: string, blind: Uint8Array, evaluated: Uint8Array): Uint8Array {
  const output = oprf.finalize(utf8ToBytes(password), blind, evaluated)
  return extract(sha512, concatBytes(output, output), EMPTY)
}

function keyPairOf(password: Uint8Array, nonce: Uint8Array) {
  return server.deriveDiffieHellman(expanded(password, nonce, utf8ToBytes('PrivateKey')).slice(0, 32))
}

function tagOf(password: Uint8Array, nonce: Uint8Array, serverKey: Uint8Array, clientKey: Uint8Array): Uint8Array {
  const key = expanded(password, nonce, utf8ToBytes('AuthKey'))
  return hmac(sha512, key, concatBytes(nonce, serverKey, sized(serverKey), sized(clientKey)))
}

/** The record of a password over the server's answer to its blinded form. */
export function recordOf(password: string, blind: Uint8Array, response: Uint8Array): Uint8Array {
  const randomized = randomizedPassword(password, blind, response.slice(0, 32))
  const nonce = random()
  const { publicKey } = keyPairOf(randomized, nonce)
  const tag = tagOf(randomized, nonce, response.slice(32), publicKey)
  return concatBytes(publicKey, expanded(randomized, utf8ToBytes('MaskingKey')), nonce, tag)
}

const blindOf = (password: string) => oprf.blind(utf8ToBytes(password))

export async function register(
  identifier: string,
  password: string,
  options: { readonly grant?: string; readonly by?: typeof prober; readonly address?: string } = {},
): Promise<Exchange> {
  const { by = prober } = options
  const grant = options.grant ?? (await freshGrant())
  const { blind, blinded } = blindOf(password)
  const registrationRequest = encodeBase64url(blinded)
  const begun = await post('opaque/register/init', { grant, identifier, registrationRequest }, {}, by)
  if (begun.status !== 200) return begun
  const { registrationResponse } = dataOf<{ registrationResponse: string }>(begun)
  const registrationRecord = encodeBase64url(recordOf(password, blind, bytesOf(registrationResponse)))
  const body = JSON.stringify({ grant, identifier, registrationRecord })
  const { address } = options
  const path = '/api/auth/opaque/register/finish'
  return by.send({ method: 'POST', path, body, ...(address === undefined ? {} : { address }) })
}

/** The client's half of a login that has begun. */
export class Login {
  readonly ke1: Uint8Array
  readonly #password: string
  readonly #blind: Uint8Array
  readonly #keyshare: { secretKey: Uint8Array; publicKey: Uint8Array }

  constructor(password: string) {
    const { blind, blinded } = blindOf(password)
    this.#password = password
    this.#blind = blind
    this.#keyshare = server.deriveDiffieHellman(random())
    this.ke1 = concatBytes(blinded, random(), this.#keyshare.publicKey)
  }

  /** KE3. A client that finds the server's answer wrong stops; this one goes on, so that the server has to refuse. */
  finish(ke2: Uint8Array): string {
    const randomized = randomizedPassword(this.#password, this.#blind, ke2.slice(0, 32))
    const pad = expand(
      sha512,
      expanded(randomized, utf8ToBytes('MaskingKey')),
      concatBytes(ke2.slice(32, 64), utf8ToBytes('CredentialResponsePad')),
      128,
    )
    const plain = ke2.slice(64, 192).map((byte, i) => byte ^ (pad[i] ?? 0))
    const client = keyPairOf(randomized, plain.slice(32, 64))
    const multiply = (point: Uint8Array, scalar: Uint8Array) => {
      try {
        return Point.fromBytes(point).multiply(Point.Fn.fromBytes(scalar)).toBytes()
      } catch {
        return new Uint8Array(32)
      }
    }
    const serverKeyshare = ke2.slice(224, 256)
    const prk = extract(
      sha512,
      concatBytes(
        multiply(serverKeyshare, this.#keyshare.secretKey),
        multiply(plain.slice(0, 32), this.#keyshare.secretKey),
        multiply(serverKeyshare, client.secretKey),
      ),
      EMPTY,
    )
    const parts = [sized(EMPTY), sized(client.publicKey), this.ke1, sized(plain.slice(0, 32)), ke2.slice(0, 256)]
    const preamble = concatBytes(utf8ToBytes('OPAQUEv1-'), ...parts)
    const derived = (secret: Uint8Array, label: string, transcript: Uint8Array) => {
      const name = utf8ToBytes(`OPAQUE-${label}`)
      const sizes = [new Uint8Array([0, 64, name.length]), name, new Uint8Array([transcript.length]), transcript]
      return expanded(secret, ...sizes)
    }
    const handshake = derived(prk, 'HandshakeSecret', sha512(preamble))
    const transcript = sha512(concatBytes(preamble, ke2.slice(256)))
    return encodeBase64url(hmac(sha512, derived(handshake, 'ClientMAC', EMPTY), transcript))
  }
}

export interface Begun {
  readonly ceremonyId: string
  readonly loginResponse: string
  readonly finishLoginRequest: string
}

export async function beginLogin(identifier: string, password: string, by = prober, members = {}): Promise<Begun> {
  const login = new Login(password)
  const startLoginRequest = encodeBase64url(login.ke1)
  const begun = await post('opaque/login/init', { identifier, startLoginRequest, ...members }, {}, by)
  const { ceremonyId, loginResponse } = dataOf<{ ceremonyId: string; loginResponse: string }>(begun)
  return { ceremonyId, loginResponse, finishLoginRequest: login.finish(bytesOf(loginResponse)) }
}

export const finishLogin = ({ ceremonyId, finishLoginRequest }: Omit<Begun, 'loginResponse'>, by = prober) =>
  post('opaque/login/finish', { ceremonyId, finishLoginRequest }, {}, by)

/** `members`: more of the first message. */
export async function logIn(identifier: string, password: string, members: object = {}): Promise<Exchange> {
  return finishLogin(await beginLogin(identifier, password, prober, members))
}

export interface Session {
  readonly token: string
  readonly accountId: string
  readonly expiresAt: number
}

let people = 0
/** Somebody new who is signed in by a password. */
export async function signedIn(): Promise<Session & { readonly identifier: string; readonly password: string }> {
  people += 1
  const [identifier, password] = [`person-${people}-${crypto.randomUUID().slice(0, 8)}`, `secret ${people}`]
  dataOf(await register(identifier, password))
  return { ...dataOf<Session>(await logIn(identifier, password)), identifier, password }
}
