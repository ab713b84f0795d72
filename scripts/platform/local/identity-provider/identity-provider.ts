/**
 * OpenID Connect providers that stand in for Google and Microsoft on a developer's machine. Their page takes anybody's word for
 * who it is, so they exist in this process only: what `scripts/deploy` uploads has no part of them, and it refuses a
 * configuration that names one.
 *
 * @module
 */
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { loadProvider, type Provider, type ProviderClass } from './library.ts'
import { choicePage, expiredPage, homePage, STYLE } from './pages.ts'
import { claimsOf, type Person, PROVIDER_NAMES, type ProviderName, personOf, subjectOf } from './people.ts'
import { ProviderStore } from './store.ts'

const CLIENT_ID = 'svc-sign-in'
const MAX_FORM_BYTES = 4096
/** As long as the sign-in service waits for somebody who went to a provider. */
const TTL_SECONDS = 600
/** What the library issues here. It warns of each kind whose lifetime it had to choose. */
const ISSUED = ['AccessToken', 'AuthorizationCode', 'Grant', 'IdToken', 'Interaction', 'Session']
const POLICY = "default-src 'none'; style-src 'self'; img-src data:; frame-ancestors 'none'; base-uri 'none'"

/** The members of auth's configuration that lead to these providers. */
export interface ProviderSettings {
  readonly vars: Readonly<Record<string, string>>
  readonly secrets: Readonly<Record<string, string>>
}

export class LocalIdentityProvider {
  readonly url: string
  readonly settings: ProviderSettings
  readonly #server: Server

  private constructor(url: string, settings: ProviderSettings, server: Server) {
    this.url = url
    this.settings = settings
    this.#server = server
  }

  /** `auth` is the origin of the sign-in service, to which people are sent back. */
  static async start(host: string, port: number, auth: string): Promise<LocalIdentityProvider> {
    const url = `http://localhost:${port}`
    const secret = randomBytes(32).toString('base64url')
    const Library = await loadProvider()
    const tenants = new Map(PROVIDER_NAMES.map((name) => [name, new Tenant(Library, name, url, auth, secret)]))
    const server = createServer((request, response) => {
      void answer(tenants, request, response)
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, host, resolve)
    })
    const settings = {
      vars: {
        GOOGLE_ISSUER: `${url}/google`,
        GOOGLE_CLIENT_ID: CLIENT_ID,
        MICROSOFT_ISSUER: `${url}/microsoft`,
        MICROSOFT_CLIENT_ID: CLIENT_ID,
      },
      secrets: { GOOGLE_CLIENT_SECRET: secret, MICROSOFT_CLIENT_SECRET: secret },
    }
    return new LocalIdentityProvider(url, settings, server)
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
    })
  }
}

/** One of the two, below its name. */
class Tenant {
  readonly issuer: string
  readonly #name: ProviderName
  readonly #provider: Provider
  readonly #people = new Map<string, Person>()

  constructor(Library: ProviderClass, name: ProviderName, url: string, auth: string, secret: string) {
    this.#name = name
    this.issuer = `${url}/${name}`
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    this.#provider = new Library(this.issuer, {
      adapter: ProviderStore,
      clients: [
        {
          client_id: CLIENT_ID,
          client_secret: secret,
          redirect_uris: [`${auth}/api/auth/${name}/callback`],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'local' }] },
      // Both are on one host, and their cookies would replace each other.
      cookies: {
        keys: [randomBytes(32).toString('base64url')],
        names: { session: this.#sessionCookie, interaction: `${name}_interaction`, resume: `${name}_resume` },
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/${name}/choose/${uid}` },
      pkce: { required: () => true },
      ttl: Object.fromEntries(ISSUED.map((kind) => [kind, TTL_SECONDS])),
      claims: { openid: ['sub'], email: ['email', 'email_verified', 'xms_edov'] },
      conformIdTokenClaims: false,
      findAccount: (_: unknown, id: string) => {
        const person = this.#people.get(id)
        return person && { accountId: id, claims: () => claimsOf(name, id, person) }
      },
      // The page has asked; the library need not ask again.
      loadExistingGrant: async ({ oidc }) => {
        const of = { clientId: oidc.client.clientId, accountId: oidc.session.accountId }
        const grant = new oidc.provider.Grant(of)
        grant.addOIDCScope('openid email')
        await grant.save()
        return grant
      },
    })
  }

  /** `path` is below the name. */
  async answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (path.startsWith('/choose/')) {
      const known = await this.#provider.interactionDetails(request, response).catch(() => undefined)
      if (!known) return html(response, 404, expiredPage())
      if (request.method === 'POST') return this.#finish(known.uid, request, response)
      return this.#ask(known.uid, response)
    }
    // Without a session, every sign-in asks who it is.
    if (/^\/auth(\?|$)/.test(path)) request.headers.cookie = without(request.headers.cookie, this.#sessionCookie)
    // The library finds the prefix by what was asked originally.
    Object.assign(request, { originalUrl: request.url, url: path })
    this.#provider.callback()(request, response)
  }

  get #sessionCookie(): string {
    return `${this.#name}_session`
  }

  #ask(uid: string, response: ServerResponse, fault?: string): void {
    const action = `/${this.#name}/choose/${uid}`
    html(response, fault === undefined ? 200 : 400, choicePage(this.#name, action, fault))
  }

  async #finish(uid: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const fields = await formOf(request)
    const end = (result: Parameters<Provider['interactionFinished']>[2]) =>
      this.#provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false })
    if (fields.get('answer') === 'decline')
      return end({ error: 'access_denied', error_description: 'The person cancelled' })
    const person = personOf(fields)
    if ('fault' in person) return this.#ask(uid, response, person.fault)
    const accountId = subjectOf(person.email)
    this.#people.set(accountId, person)
    return end({ login: { accountId } })
  }
}

async function answer(
  tenants: ReadonlyMap<ProviderName, Tenant>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const asked = request.url ?? '/'
  if (asked === '/style.css') return void response.setHeader('content-type', 'text/css').end(STYLE)
  const [, name = '', path = '/'] = /^\/([a-z]+)(\/.*)$/.exec(asked) ?? []
  const tenant = tenants.get(name as ProviderName)
  if (tenant) return tenant.answer(path, request, response)
  const issuerOf = (one: ProviderName) => tenants.get(one)?.issuer ?? ''
  const issuers = { google: issuerOf('google'), microsoft: issuerOf('microsoft') }
  return html(response, asked === '/' ? 200 : 404, asked === '/' ? homePage(issuers) : expiredPage())
}

function html(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': POLICY,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
  })
  response.end(page)
}

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request as AsyncIterable<Buffer>) {
    text += chunk.toString()
    if (text.length > MAX_FORM_BYTES) break
  }
  return new URLSearchParams(text)
}

function without(cookies: string | undefined, name: string): string {
  return (cookies ?? '')
    .split(/;\s*/)
    .filter((cookie) => !cookie.startsWith(`${name}=`) && !cookie.startsWith(`${name}.`))
    .join('; ')
}
