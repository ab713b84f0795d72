import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { didSchema } from '@svc/protocol/base/identity'
import { snapshotQuerySchema } from '@svc/protocol/consent/snapshot'
import { errorEntry } from '@svc/protocol/http/errors'
import { MIRROR_HEADERS } from '@svc/protocol/http/mirror'
import { accountLabelSchema, leafIdSchema } from '@svc/protocol/keys/account-updates'
import { anchorIdSchema, DEFAULT_PAGE_ANCHORS, MAX_PAGE_ANCHORS } from '@svc/protocol/ledger/anchors'
import { TILE_WIDTH } from '@svc/protocol/merkle/tiles'
import * as z from 'zod'
import { AnchorAnswers } from './anchor-answers.ts'
import { DirectoryAnswers, LogAnswers, Refused } from './log-answers.ts'
import type { MirrorStore } from './mirror-store.ts'
import { servedSnapshot } from './snapshot-follower.ts'

/** A year: nothing behind such an address changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable'
const GROWING = 'public, max-age=5, must-revalidate'

const number = z
  .string()
  .regex(/^(?:0|[1-9][0-9]{0,14})$/, 'must be a number')
  .transform(Number)

interface Reply {
  readonly body: unknown
  readonly cache?: string
}

interface Route {
  readonly path: RegExp
  /** In the envelope `{success, data, timestamp}`, as on the service. */
  readonly isEnveloped: boolean
  readonly answer: (id: string, query: URLSearchParams) => Reply | Promise<Reply>
}

export interface MirrorServerParts {
  readonly store: MirrorStore
  readonly now: () => number
  /** What the mirror says of itself at its address. */
  readonly describe: () => object
  /** The services that are not followed any more. */
  readonly isRefusing: () => boolean
}

/** Reads of the services for what the mirror has: the same paths, answers and proofs. It has no other methods. */
export function mirrorServer({ store, now, describe, isRefusing }: MirrorServerParts): Server {
  const routes = routesOf(store, describe)
  const server = createServer((request, response) => {
    void handle(request, response).catch(() => {
      if (!response.headersSent)
        send(response, 500, failureOf(new Refused('internal_error'), request.url ?? '/', now()))
      else response.destroy()
    })
  })
  server.requestTimeout = 30_000
  return server

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page of any origin may read what is public.
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-expose-headers', ['x-error-name', ...Object.values(MIRROR_HEADERS)].join(', '))
    response.setHeader(MIRROR_HEADERS.state, isRefusing() ? 'refusing' : 'following')
    response.setHeader('x-content-type-options', 'nosniff')
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://mirror')
    const route = routes.find(({ path }) => path.test(pathname))
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      return send(response, 405, failureOf(new Refused('method_not_allowed'), pathname, now()))
    }
    try {
      if (!route) throw new Refused('not_found')
      const [, id = ''] = route.path.exec(pathname) ?? []
      const { body, cache = GROWING } = await route.answer(decodeURIComponent(id), searchParams)
      response.setHeader('cache-control', cache)
      send(response, 200, route.isEnveloped ? { success: true, data: body, timestamp: now() } : body)
    } catch (error) {
      const refused = refusalOf(error)
      if (!refused) throw error
      response.setHeader('x-error-name', refused.error)
      send(response, errorEntry(refused.error).status, failureOf(refused, pathname, now()))
    }
  }
}

function routesOf(store: MirrorStore, describe: () => object): Route[] {
  const logs = new LogAnswers(store)
  const anchors = new AnchorAnswers(store, logs)
  const directory = new DirectoryAnswers(store, logs)
  const logOf = (query: URLSearchParams) => query.get('log')
  const bare = (path: RegExp, answer: Route['answer']): Route => ({ path, isEnveloped: false, answer })
  const enveloped = (path: RegExp, answer: Route['answer']): Route => ({ path, isEnveloped: true, answer })
  const lists: Route['answer'] = (_, query) => ({
    body: logs.lists(optional(query, 'since')),
    cache: 'public, max-age=60',
  })
  const bundle =
    (series: 'anchors' | 'transparency'): Route['answer'] =>
    (id, query) => {
      const body = logs.entries(series, logOf(query), read(number, id, 'path'))
      return { body, cache: cacheOf(query, body.entries.length === TILE_WIDTH) }
    }
  return [
    bare(/^\/$/, () => ({ body: describe(), cache: 'no-store' })),
    bare(/^\/evidence$/, () => ({ body: { evidence: store.evidence() }, cache: 'no-store' })),
    enveloped(/^\/api\/logs$/, lists),
    bare(/^\/api\/anchors$/, (_, query) => ({ body: anchors.list(pageOf(query)) })),
    bare(/^\/api\/anchors\/checkpoint$/, (_, query) => ({ body: anchors.checkpoint(logOf(query)) })),
    bare(/^\/api\/anchors\/consistency$/, async (_, query) => {
      const [first, second] = [read(number, query.get('first'), 'query'), read(number, query.get('second'), 'query')]
      const found = await logs.consistency('anchors', logOf(query), first, second)
      if (!found) throw new Refused('invalid_request', 'query: the log has no such sizes')
      const { head: _head, ...body } = found
      return { body }
    }),
    bare(/^\/api\/anchors\/feed\/entries\/([^/]+)$/, bundle('anchors')),
    bare(/^\/api\/anchors\/feed\/bodies\/([^/]+)$/, (id, query) => {
      const body = anchors.bodies(logOf(query), read(number, id, 'path'))
      return { body }
    }),
    bare(/^\/api\/anchors\/feed\/publications$/, (_, query) => {
      const body = anchors.publicationsAfter(query.get('after'))
      return { body, cache: body.isFull ? IMMUTABLE : GROWING }
    }),
    bare(/^\/api\/anchors\/([^/]+)\/publications$/, (id) => ({
      body: anchors.publications(known(anchorIdSchema, id)),
    })),
    bare(/^\/api\/anchors\/([^/]+)$/, (id) => ({ body: anchors.record(known(anchorIdSchema, id)) })),
    bare(/^\/api\/anchors\/([^/]+)\/bundle$/, async (id) => ({
      body: await anchors.bundle(known(anchorIdSchema, id)),
    })),
    enveloped(/^\/api\/transparency\/logs$/, lists),
    enveloped(/^\/api\/transparency\/checkpoint$/, (_, query) => ({ body: directory.checkpoint(logOf(query)) })),
    enveloped(/^\/api\/transparency\/entries\/([^/]+)$/, bundle('transparency')),
    enveloped(/^\/api\/transparency\/proof\/([^/]+)$/, async (id) => ({
      body: isLabel(id) ? await directory.account(id) : await directory.inclusion(known(leafIdSchema, id)),
    })),
    enveloped(/^\/api\/transparency\/audit\/([^/]+)$/, async (id, query) => {
      if (isLabel(id)) return { body: directory.accountAudit(id, optional(query, 'since') ?? 0) }
      const [first = 0, second = null] = known(z.string().regex(/^[0-9]{1,15}(?:-[0-9]{1,15})?$/), id)
        .split('-')
        .map(Number)
      return { body: await directory.audit(logOf(query), first, second) }
    }),
    bare(/^\/api\/v1\/consent\/snapshot$/, (_, query) => snapshotPage(store, query)),
  ]
}

/** Whether an id is a label. The label of a DID is proved by the directory alone, which has the secret. */
function isLabel(id: string): boolean {
  if (didSchema.safeParse(id).success)
    throw new Refused(
      'not_found',
      'A mirror cannot tell the label of a DID: ask by label, which the directory has proved',
    )
  return accountLabelSchema.safeParse(id).success
}

/** Without a name it is another log after the next roll. */
function cacheOf(query: URLSearchParams, isFull: boolean): string {
  return query.has('log') && isFull ? IMMUTABLE : GROWING
}

function pageOf(query: URLSearchParams) {
  // Reports that are not in the feed yet, or by an earlier key, would be missing.
  if (query.has('status')) throw new Refused('invalid_request', 'query.status: this mirror lists anchors of any status')
  const asked = optional(query, 'limit') ?? DEFAULT_PAGE_ANCHORS
  const owner = query.get('owner')
  return {
    owner: owner === null ? null : read(didSchema, owner, 'query.owner'),
    limit: Math.min(Math.max(asked, 1), MAX_PAGE_ANCHORS),
    cursor: query.get('cursor'),
    withAttestations: query.get('attestations') !== 'omit',
  }
}

function snapshotPage(store: MirrorStore, query: URLSearchParams): Reply {
  const { bucket, at, from = null } = read(snapshotQuerySchema, Object.fromEntries(query), 'query')
  const served = servedSnapshot(store)
  if (served === null) throw new Refused('snapshots_unavailable')
  const row = store.get('SELECT page FROM pages WHERE at = ? AND bucket = ? AND start IS ?', at ?? served, bucket, from)
  // A snapshot that is still being read is not served.
  if (!row || (at ?? served) !== served) throw new Refused('snapshot_unknown')
  return { body: JSON.parse(String(row['page'])) as unknown }
}

function optional(query: URLSearchParams, name: string): number | null {
  const value = query.get(name)
  return value === null ? null : read(number, value, `query.${name}`)
}

/** A value of the request; 400 if it is malformed. */
function read<S extends z.ZodType>(schema: S, value: unknown, where: string): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Refused('invalid_request', `${where}: ${parsed.error.issues[0]?.message ?? 'malformed'}`)
}

/** An id in the path: a malformed one names nothing. */
function known<S extends z.ZodType>(schema: S, value: string): z.output<S> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new Refused('not_found')
}

function refusalOf(error: unknown): Refused | null {
  if (error instanceof Refused) return error
  // A path that is not valid UTF-8.
  return error instanceof URIError ? new Refused('not_found') : null
}

/** As on the service that has the path: core answers validation with a structured error. */
function failureOf({ error, details, message: given }: Refused, path: string, timestamp: number): object {
  const { code, text } = errorEntry(error)
  const message = given || text
  const isCore = path.startsWith('/api/anchors') || path === '/api/logs'
  if (isCore && code) return { code, message, details: { error } }
  return { success: false, error, message, timestamp, ...(details && { details }) }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.statusCode = status
  response.setHeader('content-type', 'application/json')
  response.setHeader('content-length', Buffer.byteLength(text))
  response.end(response.req.method === 'HEAD' ? undefined : text)
}
