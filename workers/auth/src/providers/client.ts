import { decodeBase64url } from '@svc/protocol/base/base64url'
import { DependencyFault } from '@svc/protocol/base/dependency-fault'
import { err, ok, type Result } from '@svc/protocol/base/result'
import { foreignObject } from '@svc/protocol/http/foreign'
import * as oauth from 'oauth4webapi'
import * as z from 'zod'
import {
  type Claims,
  errorCodeOf,
  isByPerson,
  isForManyTenants,
  issuerTemplate,
  maySignFor,
  metadataIssuer,
  tokenIssuer,
} from './rules.ts'

export interface ProviderConfig {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly redirectUri: string
  /** A local deployment may use a provider without TLS, on the same machine. */
  readonly allowsHttp: boolean
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

export interface Exchange {
  readonly parameters: URLSearchParams
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/**
 * `declined`: the person cancelled at the provider. `failed`: the provider says that it can't, or that this service asked
 * wrongly. `detail` is for the log and contains no input.
 */
export type ExchangeRefusal =
  | { readonly reason: 'declined' }
  | { readonly reason: 'failed' | 'rejected'; readonly detail: string }

const TIMEOUT_MS = 5_000
/** Providers rarely change their metadata; their keys are cached separately. */
const METADATA_LIFETIME_MS = 3_600_000
/** What Google and Microsoft sign with. Fixed, so that a token cannot choose: neither `none` nor an HMAC passes. */
const TOKEN_ALGORITHM = 'RS256'
/** oauth4webapi's codes for answers that say nothing about the person: status, form or silence of the provider. */
const NOT_AN_ANSWER: ReadonlySet<string | undefined> = new Set([
  oauth.RESPONSE_IS_NOT_CONFORM,
  oauth.RESPONSE_IS_NOT_JSON,
  oauth.PARSE_ERROR,
])

/** One OpenID provider, using the code flow with PKCE (RFC 6749, RFC 7636, OpenID Connect Core). */
export class ProviderClient {
  readonly #config: ProviderConfig
  /** Filled by oauth4webapi, which reloads keys if one is unknown or they are old. */
  readonly #keys: Partial<oauth.ExportedJWKSCache> = {}
  #metadata: { readonly server: oauth.AuthorizationServer; readonly until: number } | undefined

  constructor(config: ProviderConfig) {
    this.#config = config
  }

  /** Where to send the person. */
  async authorizationUrl(state: string, nonce: string, codeVerifier: string, now: number): Promise<string> {
    const { authorization_endpoint: endpoint } = await this.#server(now)
    if (endpoint === undefined) throw this.#fault(new Error('no authorization endpoint'))
    const url = new URL(endpoint)
    const { clientId, redirectUri } = this.#config
    const parameters = {
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
    }
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
    return url.href
  }

  /**
   * Exchanges the code for a token and returns its claims, with signature, issuer, audience, nonce and times verified.
   * A provider that does not answer is a fault.
   */
  async exchange(
    { parameters, state, nonce, codeVerifier }: Exchange,
    now: number,
  ): Promise<Result<Claims, ExchangeRefusal>> {
    const server = await this.#server(now)
    const { clientId, clientSecret, redirectUri } = this.#config
    const client: oauth.Client = { client_id: clientId, id_token_signed_response_alg: TOKEN_ALGORITHM }
    try {
      const checked = oauth.validateAuthResponse(server, client, parameters, state)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.ClientSecretPost(clientSecret),
        checked,
        redirectUri,
        codeVerifier,
        this.#options,
      )
      if (response.status >= 500) throw this.#fault(new Error(`status ${response.status}`))
      const token = isForManyTenants(this.#config.issuer) ? await unverified(response.clone()) : null
      const issuing = token ? { ...server, issuer: tokenIssuer(server.issuer, token.claims) ?? NO_ISSUER } : server
      const tokens = await oauth.processAuthorizationCodeResponse(issuing, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      const claims = oauth.getValidatedIdTokenClaims(tokens)
      await oauth.validateApplicationLevelSignature(issuing, response, {
        ...this.#options,
        [oauth.jwksCache]: this.#keys as oauth.JWKSCacheInput,
      })
      if (token && !this.#isSignedFor(issuing.issuer, token.keyId)) {
        return err({ reason: 'rejected', detail: 'key of another issuer' })
      }
      return claims ? ok(claims) : err({ reason: 'rejected', detail: 'no claims' })
    } catch (error) {
      return err(this.#refusalOf(error))
    }
  }

  /** After the signature: the signing key, and any other with its id, must be for this issuer. */
  #isSignedFor(issuer: string, keyId: unknown): boolean {
    const template = issuerTemplate(this.#config.issuer)
    const keys = this.#keys.jwks?.keys.filter(({ kid }) => keyId === undefined || kid === keyId) ?? []
    return keys.length > 0 && keys.every((key) => maySignFor((key as { issuer?: unknown }).issuer, template, issuer))
  }

  #refusalOf(error: unknown): ExchangeRefusal {
    if (error instanceof DependencyFault) throw error
    if (error instanceof oauth.AuthorizationResponseError) {
      return isByPerson(error.error) ? { reason: 'declined' } : { reason: 'failed', detail: errorCodeOf(error.error) }
    }
    if (error instanceof oauth.ResponseBodyError) {
      return { reason: 'rejected', detail: `token endpoint: ${errorCodeOf(error.error)}` }
    }
    if (error instanceof oauth.OperationProcessingError || error instanceof oauth.UnsupportedOperationError) {
      if (NOT_AN_ANSWER.has(error.code)) throw this.#fault(error)
      return { reason: 'rejected', detail: error.code ?? error.name }
    }
    throw this.#fault(error)
  }

  async #server(now: number): Promise<oauth.AuthorizationServer> {
    if (this.#metadata && now < this.#metadata.until) return this.#metadata.server
    const issuer = new URL(this.#config.issuer)
    try {
      const response = await oauth.discoveryRequest(issuer, this.#options)
      const server = isForManyTenants(this.#config.issuer)
        ? await manyTenants(this.#config.issuer, response)
        : await oauth.processDiscoveryResponse(issuer, response)
      this.#metadata = { server, until: now + METADATA_LIFETIME_MS }
      return server
    } catch (cause) {
      throw this.#fault(cause)
    }
  }

  get #options() {
    const { fetch, allowsHttp } = this.#config
    return {
      [oauth.customFetch]: (url: string, init: object) => fetch(url, init),
      [oauth.allowInsecureRequests]: allowsHttp,
      signal: () => AbortSignal.timeout(TIMEOUT_MS),
    }
  }

  #fault(cause: unknown): DependencyFault {
    return new DependencyFault('identity provider', { cause })
  }
}

/** Metadata whose issuer is a template, which oauth4webapi itself rejects. */
async function manyTenants(configured: string, response: Response): Promise<oauth.AuthorizationServer> {
  if (response.status !== 200) throw new Error(`status ${response.status}`)
  const server = templateMetadataSchema.parse(await response.json())
  if (server.issuer !== metadataIssuer(configured)) throw new Error('metadata of another issuer')
  return server
}

/** The part of it that is used, and whether answers name the issuer. */
const templateMetadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
})

/**
 * The unverified tenant of a token: it is then verified against the metadata with that tenant's issuer. A token without a
 * tenant is verified against an impossible issuer.
 */
async function unverified(
  response: Response,
): Promise<{ readonly claims: Record<string, unknown>; readonly keyId: unknown }> {
  try {
    const { id_token: token } = foreignObject({ id_token: z.string() }).parse(await response.json())
    const [header = '', payload = ''] = token.split('.')
    return { claims: membersOf(payload), keyId: membersOf(header)['kid'] }
  } catch {
    return { claims: {}, keyId: undefined }
  }
}

function membersOf(part: string): Record<string, unknown> {
  const bytes = decodeBase64url(part) ?? new Uint8Array()
  return z.record(z.string(), z.unknown()).parse(JSON.parse(new TextDecoder().decode(bytes)))
}

/** An impossible issuer: it is not a URL. */
const NO_ISSUER = 'none'
