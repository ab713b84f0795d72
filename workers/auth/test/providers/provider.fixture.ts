/** An OpenID provider on the network of the tests: what it says is signed here, and may be wrong in every way. */
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import type { Exchange } from '@svc/service/testing'
import { vi } from 'vitest'
import { proberWith } from '../harness.ts'

export const GOOGLE = 'https://google.test'
export const ENTRA = 'https://entra.test'
export const TENANT = '72f988bf-86f1-41af-91ab-2d7cd011db47'
export const CLIENT_ID = 'client-of-the-tests'
export const RETURN_TO = 'https://app.test/welcome'

export const SETTINGS = {
  GOOGLE_ISSUER: GOOGLE,
  GOOGLE_CLIENT_ID: CLIENT_ID,
  GOOGLE_CLIENT_SECRET: 'secret of google',
  MICROSOFT_ISSUER: `${ENTRA}/common/v2.0`,
  MICROSOFT_CLIENT_ID: CLIENT_ID,
  MICROSOFT_CLIENT_SECRET: 'secret of microsoft',
  RETURN_URLS: [RETURN_TO],
}

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 2048,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
}
const newKey = async () => (await crypto.subtle.generateKey(RSA, true, ['sign', 'verify'])) as CryptoKeyPair
const text = (value: object) => encodeBase64url(utf8ToBytes(JSON.stringify(value)))

export type Token = (claims: Record<string, unknown>) => Promise<string> | string
export interface Answers {
  /** Members of the token, over those of a good one. */
  readonly claims?: Record<string, unknown>
  /** The token itself, from the claims of a good one. */
  readonly token?: Token
  /** An answer in the place of the provider’s, by path. */
  readonly instead?: (path: string) => Promise<Response> | undefined
  readonly metadata?: Record<string, unknown>
  /** Members of the key that signs, and keys beside it. */
  readonly key?: Record<string, unknown>
  readonly otherKeys?: readonly object[]
}

export class TestProvider {
  readonly requests: { readonly url: string; readonly body: URLSearchParams }[] = []
  answers: Answers = {}
  #nonce = ''
  #challenge = ''
  readonly #keys: CryptoKeyPair
  readonly #jwk: object

  private constructor(keys: CryptoKeyPair, jwk: object) {
    this.#keys = keys
    this.#jwk = jwk
  }

  /** Stands on the network for the test that is running. */
  static async stand(): Promise<TestProvider> {
    const keys = await newKey()
    const jwk = (await crypto.subtle.exportKey('jwk', keys.publicKey)) as object
    const provider = new TestProvider(keys, { ...jwk, kid: 'one', use: 'sig', alg: 'RS256' })
    vi.stubGlobal('fetch', (input: string, init: RequestInit) => provider.#answer(input, init))
    return provider
  }

  async sign(claims: object, header: object = { alg: 'RS256', kid: 'one' }, key?: CryptoKey): Promise<string> {
    const signed = `${text(header)}.${text(claims)}`
    const signature = await crypto.subtle.sign(RSA.name, key ?? this.#keys.privateKey, utf8ToBytes(signed))
    return `${signed}.${encodeBase64url(new Uint8Array(signature))}`
  }

  async signByAnother(claims: object): Promise<string> {
    return this.sign(claims, { alg: 'RS256', kid: 'one' }, (await newKey()).privateKey)
  }

  /** HS256 keyed with what everybody knows: the client id. */
  async signByHmac(claims: object): Promise<string> {
    const signed = `${text({ alg: 'HS256', kid: 'one' })}.${text(claims)}`
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = await crypto.subtle.importKey('raw', utf8ToBytes(CLIENT_ID), algorithm, false, ['sign'])
    return `${signed}.${encodeBase64url(new Uint8Array(await crypto.subtle.sign('HMAC', key, utf8ToBytes(signed))))}`
  }

  unsigned(claims: object): string {
    return `${text({ alg: 'none' })}.${text(claims)}.`
  }

  /** What a browser would take along from the authorization request. */
  remember(location: URL): void {
    this.#nonce = location.searchParams.get('nonce') ?? ''
    this.#challenge = location.searchParams.get('code_challenge') ?? ''
  }

  async #answer(url: string, init: RequestInit): Promise<Response> {
    const body = new URLSearchParams((init.body ?? '') as string | URLSearchParams)
    this.requests.push({ url, body })
    const { origin, pathname } = new URL(url)
    const instead = this.answers.instead?.(pathname)
    if (instead) return instead
    if (pathname.endsWith('/.well-known/openid-configuration')) {
      const issuer = origin === ENTRA ? `${ENTRA}/{tenantid}/v2.0` : origin
      return Response.json({
        issuer,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/keys`,
        ...this.answers.metadata,
      })
    }
    if (pathname === '/keys')
      return Response.json({ keys: [{ ...this.#jwk, ...this.answers.key }, ...(this.answers.otherKeys ?? [])] })
    if (pathname === '/token') return this.#token(origin, body)
    return new Response('', { status: 404 })
  }

  /** RFC 7636 section 4.6: a verifier that does not match the challenge gets invalid_grant. */
  async #token(origin: string, body: URLSearchParams): Promise<Response> {
    const verifier = utf8ToBytes(body.get('code_verifier') ?? '')
    const digest = encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', concatBytes(verifier))))
    if (digest !== this.#challenge) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      iss: origin === ENTRA ? `${ENTRA}/${TENANT}/v2.0` : origin,
      ...(origin === ENTRA ? { tid: TENANT } : {}),
      aud: CLIENT_ID,
      sub: 'subject-1',
      iat: now,
      exp: now + 300,
      nonce: this.#nonce,
      email: 'ada@example.org',
      email_verified: true,
      ...this.answers.claims,
    }
    const id_token = await (this.answers.token?.(claims) ?? this.sign(claims))
    return Response.json({ access_token: 'x', token_type: 'Bearer', id_token })
  }
}

export const prober = proberWith(SETTINGS)
const VERIFIER = new Uint8Array(32).fill(7)
export const verifier = encodeBase64url(VERIFIER)
export const challenge = encodeBase64url(new Uint8Array(await crypto.subtle.digest('SHA-256', VERIFIER)))

export interface Redirected {
  readonly state: string
  readonly cookie: string
  readonly location: URL
}

export function start(
  name: 'google' | 'microsoft',
  query: Record<string, string> = {},
  by = prober,
): Promise<Exchange> {
  const search = new URLSearchParams({ returnTo: RETURN_TO, challenge, ...query })
  return by.send({ method: 'GET', path: `/api/auth/${name}/start?${search.toString()}` })
}

/** Sent on to the provider, with what the browser keeps. */
export async function redirected(
  provider: TestProvider,
  name: 'google' | 'microsoft',
  by = prober,
): Promise<Redirected> {
  const { headers } = await start(name, {}, by)
  const location = new URL(headers.get('location') ?? '')
  provider.remember(location)
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';')
  return { state: location.searchParams.get('state') ?? '', cookie, location }
}

export function callback(
  name: 'google' | 'microsoft',
  query: Record<string, string>,
  cookie: string | null,
  by = prober,
): Promise<Exchange> {
  const path = `/api/auth/${name}/callback?${new URLSearchParams(query).toString()}`
  return by.send({ method: 'GET', path, headers: cookie === null ? {} : { cookie } })
}

/** There and back: the location that the browser ends at, or the refusal. */
export async function comeBack(provider: TestProvider, name: 'google' | 'microsoft', by = prober): Promise<Exchange> {
  const { state, cookie } = await redirected(provider, name, by)
  return callback(name, { code: 'code', state }, cookie, by)
}

export function ticketOf({ status, headers }: Exchange): string {
  const [, ticket = ''] = /#ticket=([A-Za-z0-9_-]{43})$/.exec(headers.get('location') ?? '') ?? []
  if (status !== 302 || ticket === '') throw new Error(`no ticket: ${status}`)
  return ticket
}
