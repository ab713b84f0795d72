/**
 * A client implemented independently, from the pages and the OpenAPI documents alone: it uses Node's cryptography and
 * nothing of this repository. If it had to guess, the pages would be incomplete.
 *
 * @module
 */
import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto'

export type Json = null | boolean | number | string | readonly Json[] | { readonly [member: string]: Json }
export type Members = Readonly<Record<string, Json>>
export type Block = Members & { readonly ownerPublicKey: string; readonly signature: string }

/** `Body` is the documented type of the body. */
export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

export const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
export const bytesOf = (text: string) => Buffer.from(text, 'base64url')
export const sha3 = (bytes: Uint8Array) => createHash('sha3-384').update(bytes).digest('hex')

/** RFC 8785 for the values signed here; numbers are small integers. */
export function jcs(value: Json): Buffer {
  const written = (one: Json): string => {
    if (Array.isArray(one)) return `[${one.map(written).join(',')}]`
    if (typeof one !== 'object' || one === null) return JSON.stringify(one)
    const members = Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${written(member)}`).join(',')}}`
  }
  return Buffer.from(written(value))
}

export function verifies(publicKeyB64u: string, signatureB64u: string, message: Uint8Array): boolean {
  const key = createPublicKey({
    key: bytesOf(publicKeyB64u),
    format: 'raw-public',
    asymmetricKeyType: 'ml-dsa-65',
  } as never)
  return verify(null, message, key, bytesOf(signatureB64u))
}

/** The signed bytes of a consent act. */
export const consentMessage = (message: Members) => Buffer.from(base64url(jcs(message)))

export class Person {
  readonly #key: KeyObject
  readonly publicKeyB64u: string
  readonly userId: string
  readonly did: string

  constructor(seed: Uint8Array = randomBytes(32)) {
    this.#key = createPrivateKey({ key: seed, format: 'raw-seed', asymmetricKeyType: 'ml-dsa-65' } as never)
    const raw = createPublicKey(this.#key).export({ format: 'raw-public' } as never) as unknown as Buffer
    this.publicKeyB64u = base64url(raw)
    this.userId = sha3(raw)
    this.did = `did:svc:${base64url(Buffer.from(this.userId, 'hex').subarray(0, 24))}`
  }

  sign(message: Uint8Array): string {
    return base64url(sign(null, message, this.#key))
  }

  block(own: Members): Block {
    const block = {
      timestamp: String(Date.now()),
      metadataHash: sha3(jcs({})),
      signatureAlg: 'ml-dsa-65',
      ownerPublicKey: this.publicKeyB64u,
      version: 4,
      scope: this.userId,
      epoch: 0,
      ...own,
    }
    return { ...block, signature: this.sign(jcs(block)) }
  }

  genesis(): Block {
    return this.block({
      index: '0',
      previousHash: '0'.repeat(96),
      dataHash: sha3(jcs({ scope: this.userId })),
      contentType: 'application/vnd.svc.genesis+json',
    })
  }

  assertion(aud: string, method: string, url: string, body: Uint8Array): string {
    const issuedAt = Date.now()
    const payload = Buffer.from(
      JSON.stringify({
        version: 1,
        purpose: 'auth/session',
        userId: this.userId,
        chainId: this.publicKeyB64u,
        publicChainKey: this.publicKeyB64u,
        issuedAt,
        expiresAt: issuedAt + 60_000,
        nonce: base64url(randomBytes(18)),
        aud,
        htm: method,
        htu: url,
        bodyHash: sha3(body),
      }),
    )
    return `ServiceAssertion ${base64url(payload)}.${this.sign(payload)}`
  }
}

export interface Call {
  readonly method: string
  readonly url: string
  readonly body?: Members
  readonly by?: { readonly person: Person; readonly aud: string }
  readonly headers?: Readonly<Record<string, string>>
}

export async function call<Body = unknown>({ method, url, body, by, headers = {} }: Call): Promise<Answer<Body>> {
  const bytes = Buffer.from(body === undefined ? '' : JSON.stringify(body))
  const sent = {
    ...headers,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(by === undefined ? {} : { authorization: by.person.assertion(by.aud, method, url, bytes) }),
  }
  const response = await fetch(url, { method, headers: sent, ...(body === undefined ? {} : { body: bytes }) })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

/** Verifies a chain without rotations by the rules of the page. Returns the hash of the last block, or null. */
export function headOfVerified(blocks: readonly Block[], did: string): string | null {
  let previous = '0'.repeat(96)
  for (const [at, block] of blocks.entries()) {
    const { signature, ...unsigned } = block
    const key = block.ownerPublicKey
    const scope = sha3(bytesOf(key))
    const isLinked = block['index'] === String(at) && block['previousHash'] === previous
    const isTheirs =
      block['scope'] === scope && did === `did:svc:${base64url(Buffer.from(scope, 'hex').subarray(0, 24))}`
    if (!isLinked || !isTheirs || !verifies(key, signature, jcs(unsigned))) return null
    previous = sha3(jcs(block))
  }
  return previous
}
