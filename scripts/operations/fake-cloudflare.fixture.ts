import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import { type Answer, FakeTransfers, queried } from './databases/fake-transfers.fixture.ts'
import type { LockRule } from './settings/bucket-locks.ts'
import { bucketAnswer, objectAnswer } from './settings/fake-buckets.fixture.ts'
import { neededPermission } from './tokens/needed-permission.fixture.ts'
import type { Permission } from './tokens/token-permissions.ts'

export const ACCOUNT = 'a'.repeat(32)
/** The error that Wrangler recognizes as "this is the first upload". */
const NO_SUCH_WORKER = 10_090
export const TOKEN = 'token-of-the-tests'

interface Upload {
  readonly id: string
  readonly bindings: readonly { name: string; type: string; service?: string; text?: string }[]
  readonly tag: string
  /** The last class migration at the time. */
  readonly migration: string | null
}

interface Script {
  readonly secrets: Map<string, string>
  /** Uploaded versions, oldest first. */
  readonly uploads: Upload[]
  /** Oldest first; the last is the active one. */
  readonly deployments: FakeDeployment[]
  /** The tag of the last class migration that was applied. */
  migration: string | null
  /** Versions that Cloudflare refuses to deploy again. */
  readonly refused: Set<string>
}

interface FakeDeployment {
  /** One version, or two that share the traffic. */
  readonly shares: readonly { readonly id: string; readonly percentage: number }[]
  /** How running objects change to the code: null if nothing was asked for. */
  readonly update: object | null
}

/** The parts of Cloudflare's API that these scripts and Wrangler use, over HTTP. D1 is SQLite. */
export class FakeCloudflare {
  readonly databases = new Map<string, { id: string; sqlite: DatabaseSync }>()
  readonly namespaces = new Map<string, string>()
  readonly buckets = new Set<string>()
  readonly locks = new Map<string, LockRule[]>()
  /** What was asked for the place of each database and bucket. */
  readonly places = new Map<string, object>()
  /** Objects by bucket and key: `bucket/models/x`. */
  readonly objects = new Map<string, Buffer>()
  readonly indexes = new Map<string, { dimensions: number; metric: string }>()
  readonly transfers = new FakeTransfers()
  /** Rules of deletion by bucket. */
  readonly lifecycles = new Map<string, readonly object[]>()
  readonly scripts = new Map<string, Script>()
  /** The paths of the static files of each script. */
  readonly assets = new Map<string, readonly string[]>()
  /** Method, path and query of every mutating request. */
  readonly changes: string[] = []
  /** Requests for something that this fake does not implement. */
  readonly unknown: string[] = []
  /** Requests that must fail, by prefix of method and path. */
  failing: string | null = null
  /** What the token may do; null for everything. */
  permissions: ReadonlySet<Permission> | null = null
  readonly #server: Server
  #made = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async start(): Promise<FakeCloudflare> {
    const server = createServer()
    const fake = new FakeCloudflare(server)
    server.on('request', (request, response) => {
      void bodyOf(request).then((body) => {
        const { status, result, bytes, headers = {} } = fake.#answer(request, body)
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

  script(name: string): Script {
    const made: Script = { secrets: new Map(), uploads: [], deployments: [], migration: null, refused: new Set() }
    const script = this.scripts.get(name) ?? made
    this.scripts.set(name, script)
    return script
  }

  /** Adds an upload, deployed at once. */
  upload(name: string, tag: string, bindings: Upload['bindings'] = []): Upload {
    const upload = this.#add(name, tag, bindings)
    this.script(name).deployments.push({ shares: [{ id: upload.id, percentage: 100 }], update: null })
    return upload
  }

  /**
   * The version that answers a request: the one that the header asks for, if it has a share, even one of nothing;
   * otherwise by chance, with `random` from 0 up to 1.
   */
  versionFor(name: string, override: string | null, random: number): string {
    const shares = this.script(name).deployments.at(-1)?.shares ?? []
    const asked = new RegExp(`(?:^|,)\\s*${name}="([^"]*)"`).exec(override ?? '')?.[1]
    if (shares.some(({ id }) => id === asked)) return asked ?? ''
    let rest = random * 100
    for (const { id, percentage } of shares) {
      rest -= percentage
      if (rest < 0) return id
    }
    return ''
  }

  #add(name: string, tag: string, bindings: Upload['bindings']): Upload {
    const { uploads, migration } = this.script(name)
    const upload = { id: `${name}-${uploads.length + 1}`, bindings, tag, migration }
    uploads.push(upload)
    return upload
  }

  #answer(request: IncomingMessage, body: Buffer): Answer {
    const { method = 'GET', headers } = request
    const url = new URL(request.url ?? '', 'http://fake')
    const path = url.pathname.replace(`/client/v4/accounts/${ACCOUNT}`, '')
    const [, file] = /^\/client\/v4(\/transfers\/.*)/.exec(url.pathname) ?? []
    if (file !== undefined) return this.transfers.file(method, file, headers.authorization !== undefined, body)
    if (headers.authorization !== `Bearer ${TOKEN}`) return { status: 403 }
    const needed = neededPermission(path)
    if (this.permissions !== null && (needed === null || !this.permissions.has(needed))) return { status: 403 }
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
    const worker = this.#workers(method, path, sent, body.toString('latin1'))
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
    if (database !== null) return this.#database(database[1] ?? '', database[2], sent)
    return null
  }

  #database(id: string, action: string | undefined, sent: Record<string, unknown>) {
    const [name, found] = [...this.databases].find(([, database]) => database.id === id) ?? []
    if (found === undefined) return { status: 404 }
    const place = (this.places.get(name ?? '') ?? {}) as Record<string, unknown>
    const { jurisdiction = null, primary_location_hint: hint = 'weur', read_replication = { mode: 'disabled' } } = place
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

  #workers(method: string, path: string, sent: Record<string, unknown>, body: string) {
    if (method === 'GET' && path === '/workers/scripts') return ok([...this.scripts.keys()].map((id) => ({ id })))
    if (/^GET \/workers\/workers\/[^/]+$/.test(`${method} ${path}`))
      return ok({ subdomain: { enabled: false, previews_enabled: false } })
    const [, name = '', rest = ''] = /^\/workers\/(?:scripts|services)\/([^/]+)(\/.*)?$/.exec(path) ?? []
    if (name === '') return null
    if (rest === '/domains/changeset') return ok({ added: [], removed: [], updated: [], conflicting: [] })
    if (rest === '/subdomain') return ok({ enabled: false, previews_enabled: false })
    if (rest === '/domains/records' || rest === '/schedules') return ok([])
    if (rest === '/secrets' && method === 'GET')
      return ok(
        [...(this.scripts.get(name)?.secrets.keys() ?? [])].map((secret) => ({ name: secret, type: 'secret_text' })),
      )
    if (rest === '/secrets' && method === 'PUT') {
      if (!this.scripts.has(name)) return { status: 404 }
      this.script(name).secrets.set(String(sent['name']), String(sent['text']))
      return ok({ name: sent['name'] })
    }
    if (rest.startsWith('/secrets/') && method === 'DELETE') {
      this.script(name).secrets.delete(rest.slice('/secrets/'.length))
      return ok(null)
    }
    if (path.startsWith('/workers/services/') && method === 'GET' && rest === '') {
      const script = {
        id: name,
        tag: 't',
        last_deployed_from: 'wrangler',
        ...(this.scripts.get(name)?.migration ? { migration_tag: this.scripts.get(name)?.migration } : {}),
      }
      return this.scripts.has(name)
        ? ok({ id: name, default_environment: { environment: 'production', script } })
        : { status: 404 }
    }
    // Nothing is missing, so no file is sent.
    if (rest === '/assets-upload-session' && method === 'POST') {
      this.assets.set(name, Object.keys(sent['manifest'] as object))
      return ok({ jwt: 'assets', buckets: [] })
    }
    if (rest === '/settings' && method === 'GET')
      return this.scripts.has(name)
        ? ok({ bindings: this.script(name).uploads.at(-1)?.bindings ?? [] })
        : { status: 404 }
    if (rest === '/script-settings' && method === 'PATCH') return ok({})
    if (rest === '/settings' && method === 'GET') return this.#settings(name)
    if (rest === '/versions' && method === 'GET') return this.#versions(name)
    if (rest === '/deployments' && method === 'POST') return this.#deploy(name, sent)
    if (rest === '/deployments' && method === 'GET') return this.#deployments(name)
    if (method === 'PUT' && rest === '') return this.#upload(name, body, { isDeployed: true })
    // Wrangler deploys such a version with a request of its own.
    if (method === 'POST' && rest === '/versions') return this.#upload(name, body, { isDeployed: false })
    return null
  }

  /** The bindings of the newest version: of a secret the name alone. */
  #settings(name: string) {
    const newest = this.scripts.get(name)?.uploads.at(-1)
    if (newest === undefined) return { status: 404 }
    const bindings = newest.bindings.map((binding) =>
      binding.type === 'inherit' || binding.type === 'secret_text'
        ? { name: binding.name, type: 'secret_text' }
        : binding,
    )
    return ok({ bindings })
  }

  /** Newest first, like Cloudflare. */
  #versions(name: string) {
    const uploads = this.scripts.get(name)?.uploads
    if (uploads === undefined) return { status: 404 }
    const items = uploads.map(({ id, tag }, index) => ({ id, number: index + 1, annotations: { 'workers/tag': tag } }))
    return ok({ items: items.toReversed() })
  }

  /** Newest first, like Cloudflare. */
  #deployments(name: string) {
    const script = this.scripts.get(name)
    if (script === undefined) return { status: 404 }
    const deployments = script.deployments.map(({ shares, update }, index) => ({
      id: `${name}-deployment-${index + 1}`,
      strategy: 'percentage',
      versions: shares.map(({ id, percentage }) => ({ version_id: id, percentage })),
      ...(update === null ? {} : { code_update_strategy: update }),
    }))
    return ok({ deployments: deployments.toReversed() })
  }

  /** Takes one or two versions that are there and share 100 %, none of them from before a class migration. */
  #deploy(name: string, sent: Record<string, unknown>) {
    const versions = sent['versions'] as { version_id: string; percentage: number }[]
    const shares = versions.map(({ version_id: id, percentage }) => ({ id, percentage }))
    const script = this.script(name)
    const isDeployable = ({ id }: { id: string }) =>
      script.uploads.some((upload) => upload.id === id && upload.migration === script.migration) &&
      !script.refused.has(id)
    const total = shares.reduce((sum, { percentage }) => sum + percentage, 0)
    const isSplit = shares.length === 1 || (shares.length === 2 && shares[0]?.id !== shares[1]?.id)
    if (!isSplit || total !== 100 || !shares.every(isDeployable)) return { status: 400 }
    script.deployments.push({ shares, update: (sent['code_update_strategy'] as object | undefined) ?? null })
    return ok({ id: `${name}-deployment-${script.deployments.length}` })
  }

  /** Rejects what Cloudflare rejects: bindings to missing Workers, and inherited secrets that do not exist. */
  #upload(name: string, body: string, { isDeployed }: { readonly isDeployed: boolean }) {
    const metadata = /name="metadata"\r?\n(?:[^\r\n]+\r?\n)*\r?\n([^\r\n]+)/.exec(body)?.[1] ?? '{}'
    const {
      bindings = [],
      annotations = {},
      migrations,
    } = JSON.parse(metadata) as {
      bindings?: { name: string; type: string; service?: string; script_name?: string; text?: string }[]
      annotations?: Record<string, string>
      migrations?: { old_tag?: string; new_tag: string }
    }
    // A version cannot change classes, and neither can one that assumes another state of them.
    if (migrations && (!isDeployed || (migrations.old_tag ?? null) !== (this.scripts.get(name)?.migration ?? null)))
      return { status: 400 }
    for (const { service, script_name } of bindings)
      if ([service, script_name].some((target) => target !== undefined && target !== name && !this.scripts.has(target)))
        return { status: 400 }
    const known = this.scripts.get(name)?.secrets
    for (const binding of bindings)
      if (binding.type === 'inherit' && known?.has(binding.name) !== true) return { status: 400 }
    const script = this.script(name)
    for (const { type, name: secret, text = '' } of bindings)
      if (type === 'secret_text') script.secrets.set(secret, text)
    if (migrations) script.migration = migrations.new_tag
    const tag = annotations['workers/tag'] ?? ''
    if (!isDeployed)
      return ok({
        id: this.#add(name, tag, bindings).id,
        startup_time_ms: 1,
        metadata: { has_preview: false },
        resources: { script: { etag: 'e' } },
      })
    this.upload(name, tag, bindings)
    return ok({ id: name, startup_time_ms: 1, deployment_id: 'd', etag: 'e', pipeline_hash: 'p' })
  }
}

function ok(result: unknown): { status: number; result: unknown } {
  return { status: 200, result }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
