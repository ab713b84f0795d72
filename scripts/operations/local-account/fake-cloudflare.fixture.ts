import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { FakeTransfers, queried } from '../databases/fake-transfers.fixture.ts'
import type { LockRule } from '../settings/bucket-locks.ts'
import { bucketAnswer, objectAnswer } from '../settings/fake-buckets.fixture.ts'
import { neededPermission } from '../tokens/needed-permission.fixture.ts'
import type { Permission } from '../tokens/token-permissions.ts'
import { type Answer, FakeScripts, ok } from './fake-scripts.fixture.ts'

export const ACCOUNT = 'a'.repeat(32)
/** The error that Wrangler recognizes as "this is the first upload". */
const NO_SUCH_WORKER = 10_090
export const TOKEN = 'token-of-the-tests'

/** The parts of Cloudflare's API that these scripts and Wrangler use, over HTTP. D1 is SQLite. */
export class FakeCloudflare extends FakeScripts {
  readonly databases = new Map<string, { id: string; sqlite: DatabaseSync }>()
  readonly namespaces = new Map<string, string>()
  readonly buckets = new Set<string>()
  readonly locks = new Map<string, LockRule[]>()
  /** What was asked for the place of each database and bucket. */
  readonly places = new Map<string, object>()
  /** Of databases by name; `disabled` where there is none. */
  readonly replication = new Map<string, string>()
  /** Objects by bucket and key: `bucket/models/x`. */
  readonly objects = new Map<string, Buffer>()
  readonly indexes = new Map<string, { dimensions: number; metric: string }>()
  readonly transfers = new FakeTransfers()
  /** Rules of deletion by bucket. */
  readonly lifecycles = new Map<string, readonly object[]>()
  /** Method, path and query of every mutating request. */
  readonly changes: string[] = []
  /** Requests for something that this fake does not implement. */
  readonly unknown: string[] = []
  /** Paths of requests about another account, or about none. */
  readonly elsewhere: string[] = []
  /** Requests that must fail, by prefix of method and path. */
  failing: string | null = null
  /** What the token may do; null for everything. */
  permissions: ReadonlySet<Permission> | null = null
  readonly #server: Server
  #made = 0

  private constructor(server: Server) {
    super()
    this.#server = server
  }

  static async start(): Promise<FakeCloudflare> {
    const server = createServer()
    const fake = new FakeCloudflare(server)
    server.on('request', (request, response) => {
      void received(request).then(async (body) => {
        const { status, result, bytes, form, headers = {} } = fake.#answer(request, body)
        if (form !== undefined) {
          const whole = new Response(form)
          response.writeHead(status, { 'content-type': whole.headers.get('content-type') ?? '' })
          response.end(Buffer.from(await whole.arrayBuffer()))
          return
        }
        if (bytes !== undefined) {
          response.writeHead(status, headers).end(bytes)
          return
        }
        const error = { code: status === 404 ? NO_SUCH_WORKER : 10_000, message: 'refused by the fake' }
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(
          JSON.stringify({ success: status < 300, result, errors: status < 300 ? [] : [error], messages: [] }),
        )
      })
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    return fake
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/client/v4`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }

  #answer(request: IncomingMessage, { body, form }: Received): Answer {
    const { method = 'GET', headers } = request
    const url = new URL(request.url ?? '', 'http://fake')
    const path = url.pathname.replace(`/client/v4/accounts/${ACCOUNT}`, '')
    const [, file] = /^\/client\/v4(\/transfers\/.*)/.exec(url.pathname) ?? []
    if (file !== undefined) return this.transfers.file(method, file, headers.authorization !== undefined, body)
    if (!url.pathname.startsWith(`/client/v4/accounts/${ACCOUNT}/`)) this.elsewhere.push(url.pathname)
    if (headers.authorization !== `Bearer ${TOKEN}`) return { status: 403 }
    const needed = neededPermission(method, path)
    if (this.permissions !== null && !needed.some((one) => this.permissions?.has(one))) return { status: 403 }
    if (this.failing !== null && `${method} ${path}`.startsWith(this.failing)) return { status: 500 }
    const isJson = headers['content-type']?.startsWith('application/json') === true
    const sent = isJson && body.length > 0 ? (JSON.parse(body.toString()) as Record<string, unknown>) : {}
    if (method !== 'GET' && !path.endsWith('/query')) this.changes.push(`${method} ${path}${url.search}`)
    const [, bucket = '', key] = /^\/r2\/buckets\/([^/]+)\/objects\/(.+)$/.exec(path) ?? []
    if (key !== undefined) return objectAnswer(this, method, { bucket, key, body })
    const { 'cf-r2-jurisdiction': jurisdiction } = headers
    const asked = /^\/r2\/buckets\/([^/]+)(\/lock|\/lifecycle)?$/.exec(path)
    if (asked !== null) return bucketAnswer(this, method, { name: asked[1] ?? '', about: asked[2], jurisdiction, sent })
    const resource = this.#resources(method, path, url.searchParams, {
      ...(jurisdiction ? { jurisdiction } : {}),
      ...sent,
    })
    if (resource !== null) return resource
    const worker = this.workers(method, path, sent, form)
    if (worker !== null) return worker
    this.unknown.push(`${method} ${path}`)
    return { status: 404 }
  }

  #resources(method: string, path: string, query: URLSearchParams, sent: Record<string, unknown>) {
    const { name: databaseName, title: namespaceName, ...place } = sent
    const name = String(databaseName ?? namespaceName)
    this.#made += 1
    switch (`${method} ${path}`) {
      case 'GET /d1/database':
        return ok(
          [...this.databases]
            .filter(([known]) => known.includes(query.get('name') ?? ''))
            .map(([known, { id }]) => ({ name: known, uuid: id })),
        )
      case 'POST /d1/database': {
        const id = `00000000-0000-4000-8000-${String(this.#made).padStart(12, '0')}`
        this.databases.set(name, { id, sqlite: new DatabaseSync(':memory:') })
        this.places.set(name, place)
        return ok({ name, uuid: id })
      }
      case 'GET /storage/kv/namespaces': {
        const all = [...this.namespaces].map(([title, id]) => ({ title, id }))
        const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)]
        return ok(all.slice((page - 1) * size, page * size))
      }
      case 'POST /storage/kv/namespaces': {
        const id = String(this.#made).padStart(32, 'f')
        this.namespaces.set(name, id)
        return ok({ title: name, id })
      }
      case 'POST /r2/buckets':
        this.buckets.add(name)
        this.places.set(name, place)
        return ok({ name })
      case 'POST /vectorize/v2/indexes':
        this.indexes.set(name, sent['config'] as { dimensions: number; metric: string })
        return ok({ name })
    }
    const index = /^GET \/vectorize\/v2\/indexes\/([^/]+)$/.exec(`${method} ${path}`)?.[1]
    if (index !== undefined)
      return this.indexes.has(index) ? ok({ name: index, config: this.indexes.get(index) }) : { status: 404 }
    const database = /^\/d1\/database\/([^/]+)(\/(?:query|export|import))?$/.exec(path)
    if (database !== null && method === 'PUT') return this.#replicate(database[1] ?? '', sent)
    if (database !== null) return this.#database(database[1] ?? '', database[2], sent)
    return null
  }

  #replicate(id: string, { read_replication }: Record<string, unknown>) {
    const [name] = [...this.databases].find(([, database]) => database.id === id) ?? []
    if (name === undefined) return { status: 404 }
    this.replication.set(name, (read_replication as { mode: string }).mode)
    return ok({ name, uuid: id, read_replication })
  }

  #database(id: string, action: string | undefined, sent: Record<string, unknown>) {
    const [name, found] = [...this.databases].find(([, database]) => database.id === id) ?? []
    if (found === undefined) return { status: 404 }
    const place = (this.places.get(name ?? '') ?? {}) as Record<string, unknown>
    const { jurisdiction = null, primary_location_hint: hint = 'weur' } = place
    const read_replication = { mode: this.replication.get(name ?? '') ?? 'disabled' }
    const region = String(hint).toUpperCase()
    if (action === undefined)
      return ok({ name, uuid: id, version: 'production', running_in_region: region, jurisdiction, read_replication })
    switch (action) {
      case '/export':
        return this.transfers.export(found.sqlite, this.url, sent)
      case '/import':
        return this.transfers.import(found.sqlite, this.url, sent)
      default:
        return queried(found.sqlite, sent)
    }
  }
}

interface Received {
  readonly body: Buffer
  /** What an upload of a Worker consists of. */
  readonly form: FormData | null
}

async function received(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks)
  const { 'content-type': type = '' } = request.headers
  const isForm = type.startsWith('multipart/form-data')
  return { body, form: isForm ? await new Response(body, { headers: { 'content-type': type } }).formData() : null }
}
