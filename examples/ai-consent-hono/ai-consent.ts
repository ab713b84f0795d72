/**
 * Middleware for Hono that sends what is declared about AI use with what a site serves.
 *
 * @module
 */
import type { Client } from '@svc/client'
import { hashOf } from '@svc/client/functions'
import type { Context, Handler, MiddlewareHandler } from 'hono'
import { ConsentLookup, type Projections } from './consent-lookup.ts'

export interface AiConsentOptions {
  /** A client from `Client.connect`. It needs no identity. */
  readonly client: Client
  /** The identities whose declarations this site publishes. */
  readonly creators: readonly string[]
  /**
   * What happens if the service does not answer, or its answer does not verify. `open` serves the content without
   * headers. `closed` answers 503, so that nothing leaves the site without its declaration.
   */
  readonly onFailure: 'open' | 'closed'
  /** Told of each failure. Default: a line in the log. */
  readonly onUnknown?: (identifier: string, cause: unknown) => void
  readonly now?: () => number
}

/** The identifier under which the content of a response was declared. */
export type IdentifierOf = (c: Context) => string | Promise<string>

/** `sha3-384:` and the hash of the body. Reads the whole body, so use it for files that fit in memory. */
export const byContent: IdentifierOf = async (c) => {
  const body = new Uint8Array(await c.res.clone().arrayBuffer())
  return `sha3-384:${await hashOf(body)}`
}

/** The public address of the content. `origin` is the site's, because the one in a request is the sender's choice. */
export const byAddress =
  (origin: string): IdentifierOf =>
  (c) =>
    new URL(c.req.path, origin).href

export class AiConsent {
  readonly #lookup: ConsentLookup
  readonly #isClosed: boolean
  readonly #consentUrl: string
  readonly #onUnknown: (identifier: string, cause: unknown) => void

  constructor({ client, creators, onFailure, onUnknown, now = Date.now }: AiConsentOptions) {
    const consentUrl = client.discovery?.document.services['consent']?.url
    if (consentUrl === undefined) throw new TypeError('Use a client from Client.connect: it knows the consent service')
    this.#consentUrl = consentUrl
    this.#lookup = new ConsentLookup(client, creators, now)
    this.#isClosed = onFailure === 'closed'
    this.#onUnknown = onUnknown ?? ((identifier, cause) => console.error(`No consent for ${identifier}:`, cause))
  }

  /** Adds the headers to successful responses. */
  headers(identifierOf: IdentifierOf): MiddlewareHandler {
    return async (c, next) => {
      await next()
      if (!c.res.ok) return
      const projections = await this.#projectionsOf(await identifierOf(c))
      if (projections === 'unknown') {
        if (this.#isClosed) c.res = unavailable()
        return
      }
      for (const [name, value] of Object.entries(headersOf(projections))) c.header(name, value)
    }
  }

  /** Answers /robots.txt with what is declared for the whole site, under `identifier`. */
  robots(identifier: string): Handler {
    return async (c) => {
      const projections = await this.#projectionsOf(identifier)
      // Crawlers take a robots.txt with a server error for "nothing is allowed" (RFC 9309, section 2.3.1.4).
      if (projections === 'unknown' && this.#isClosed) return unavailable()
      c.header('Cache-Control', projections === 'unknown' ? 'no-store' : 'public, max-age=300')
      return c.text(this.#robotsText(identifier, projections === 'unknown' ? null : projections))
    }
  }

  async #projectionsOf(identifier: string): Promise<Projections | null | 'unknown'> {
    const looked = await this.#lookup.find(identifier)
    if (looked.kind === 'unknown') {
      this.#onUnknown(identifier, looked.cause)
      return 'unknown'
    }
    return looked.kind === 'declared' ? looked.projections : null
  }

  #robotsText(identifier: string, projections: Projections | null): string {
    const { content_usage: usage = null, content_signal: signal = null, x_robots_tag: tag = null } = projections ?? {}
    const lines = [
      `# AI use: declared for ${encodeURI(identifier)}, and for each file.`,
      `# Declared preferences: ${this.#consentUrl}/.well-known/ai-consent`,
      ...(tag === null ? [] : [`# ${tag}`]),
      'User-agent: *',
      ...(usage === null ? [] : [`Content-Usage: / ${usage}`]),
      ...(signal === null ? [] : [`Content-Signal: ${signal}`]),
      'Allow: /',
    ]
    return `${lines.join('\n')}\n`
  }
}

/** A declaration without tokens has an empty `X-Svc-Consent`; content without a declaration has no header. */
function headersOf(projections: Projections | null): Record<string, string> {
  if (projections === null) return {}
  const { content_usage: usage, x_robots_tag: tag } = projections
  return {
    'X-Svc-Consent': usage ?? '',
    ...(usage === null ? {} : { 'Content-Usage': usage }),
    ...(tag === null ? {} : { 'X-Robots-Tag': tag }),
  }
}

function unavailable(): Response {
  return new Response('What is declared about this content is not known right now. Try again in a minute.\n', {
    status: 503,
    headers: { 'Retry-After': '60', 'Cache-Control': 'no-store', 'Content-Type': 'text/plain; charset=utf-8' },
  })
}
