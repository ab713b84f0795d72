import { SetupError } from '@svc/platform/workspace'
import { ANYWHERE, bucketHeaders, bucketLocation, databaseLocation, type Location } from './location.ts'
import type { LifecycleRule, LockRule } from './settings/bucket-locks.ts'

/** The vectors of all four services have 256 values of 1 and -1: their cosine is 1 - (Hamming distance) / 128. */
const VECTORS = { dimensions: 256, metric: 'cosine' } as const
const PAGE = 100
const TIMEOUT_MS = 30_000
/** Enough for 30 MB over a slow connection. */
const TRANSFER_TIMEOUT_MS = 600_000

interface Envelope {
  readonly success?: boolean
  readonly result?: unknown
  readonly errors?: readonly { readonly code?: number; readonly message?: string }[]
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: BodyInit
}

/** What Cloudflare reports about a database. */
export interface DatabaseSettings {
  readonly jurisdiction: string
  /** In capitals: `WEUR`. */
  readonly region: string
  readonly readReplication: string
}

const BASE_URL = 'https://api.cloudflare.com/client/v4'

export interface Credentials {
  readonly accountId: string
  readonly token: string
  /** CLOUDFLARE_API_BASE_URL, which Wrangler reads too. */
  readonly baseUrl?: string | undefined
  /** Where databases and buckets are created. */
  readonly location?: Location
}

/** Looks resources up before it creates them, so that an interrupted run can be repeated. */
export class CloudflareApi {
  readonly #base: string
  readonly #token: string
  readonly #credentials: Credentials
  readonly #location: Location

  constructor(credentials: Credentials) {
    const { accountId, token, baseUrl = BASE_URL, location = ANYWHERE } = credentials
    this.#credentials = credentials
    this.#base = `${baseUrl}/accounts/${accountId}`
    this.#token = token
    this.#location = location
  }

  /** What has Wrangler ask the same account with the same token. */
  get environment(): Readonly<Record<string, string>> {
    const { accountId, token, baseUrl = BASE_URL } = this.#credentials
    return { CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: token, CLOUDFLARE_API_BASE_URL: baseUrl }
  }

  /** The id, and whether it was created now. */
  async database(name: string): Promise<Made> {
    const found = await this.#ask('GET', `/d1/database?name=${encodeURIComponent(name)}`)
    const known = listOf(found).find((database) => database['name'] === name)
    const made =
      known ?? recordOf(await this.#ask('POST', '/d1/database', { name, ...databaseLocation(this.#location) }))
    return { id: textOf(made['uuid']), isNew: known === undefined }
  }

  async databaseSettings(id: string): Promise<DatabaseSettings> {
    const found = recordOf(await this.#ask('GET', `/d1/database/${id}`))
    const { jurisdiction, running_in_region: region, read_replication: replication } = found
    return {
      jurisdiction: jurisdiction ? textOf(jurisdiction) : 'none',
      region: region ? textOf(region) : '',
      readReplication: replication ? textOf(recordOf(replication)['mode']) : 'disabled',
    }
  }

  async setReadReplication(id: string, mode: string): Promise<void> {
    await this.#ask('PUT', `/d1/database/${id}`, { read_replication: { mode } })
  }

  async namespace(title: string): Promise<Made> {
    for (let page = 1; ; page += 1) {
      const namespaces = listOf(await this.#ask('GET', `/storage/kv/namespaces?per_page=${PAGE}&page=${page}`))
      const known = namespaces.find((namespace) => namespace['title'] === title)
      if (known !== undefined) return { id: textOf(known['id']), isNew: false }
      if (namespaces.length < PAGE) break
    }
    const made = recordOf(await this.#ask('POST', '/storage/kv/namespaces', { title }))
    return { id: textOf(made['id']), isNew: true }
  }

  async bucket(name: string): Promise<Made> {
    const isNew = (await this.#find(`/r2/buckets/${name}`)) === null
    if (isNew) await this.#ask('POST', '/r2/buckets', { name, ...bucketLocation(this.#location) })
    return { id: name, isNew }
  }

  /** Where a bucket of a jurisdiction is; empty if Cloudflare does not say, null if there is none. */
  async bucketRegion(name: string, jurisdiction: Location['jurisdiction']): Promise<string | null> {
    const found = await this.#find(`/r2/buckets/${name}`, bucketHeaders({ jurisdiction }))
    if (found === null) return null
    const { location } = recordOf(found)
    return location ? textOf(location) : ''
  }

  async lockRules(bucket: string): Promise<LockRule[]> {
    const { rules } = recordOf(await this.#ask('GET', `/r2/buckets/${bucket}/lock`))
    return listOf(rules ?? []) as unknown as LockRule[]
  }

  /** Replaces all rules of the bucket. */
  async putLockRules(bucket: string, rules: readonly LockRule[]): Promise<void> {
    await this.#ask('PUT', `/r2/buckets/${bucket}/lock`, { rules })
  }

  async lifecycleRules(bucket: string): Promise<LifecycleRule[]> {
    const { rules } = recordOf(await this.#ask('GET', `/r2/buckets/${bucket}/lifecycle`))
    return listOf(rules ?? []) as unknown as LifecycleRule[]
  }

  /** Replaces all rules of the bucket. */
  async putLifecycleRules(bucket: string, rules: readonly LifecycleRule[]): Promise<void> {
    await this.#ask('PUT', `/r2/buckets/${bucket}/lifecycle`, { rules })
  }

  /** A variable of the deployed Worker; null if it has none of that name. */
  async variable(script: string, name: string): Promise<string | null> {
    const { bindings } = recordOf(await this.#ask('GET', `/workers/scripts/${script}/settings`))
    const found = listOf(bindings ?? []).find((binding) => binding['name'] === name && binding['type'] === 'plain_text')
    return found === undefined ? null : String(found['text'])
  }

  /** The code of the deployed version, by the names of its modules. */
  async modules(script: string): Promise<Map<string, Uint8Array>> {
    const path = `/workers/scripts/${script}/content/v2`
    const response = await this.#fetch('GET', path, {}, TRANSFER_TIMEOUT_MS)
    const isForm = response.headers.get('content-type')?.startsWith('multipart/form-data') === true
    if (response.status !== 200 || !isForm) this.#resultOf('GET', path, response.status, await envelopeOf(response))
    const parts = [...(await response.formData())]
    const read = async ([name, part]: [string, FormDataEntryValue]) =>
      [
        name,
        typeof part === 'string' ? new TextEncoder().encode(part) : new Uint8Array(await part.arrayBuffer()),
      ] as const
    return new Map(await Promise.all(parts.map(read)))
  }

  /** An index cannot be changed, so wrong dimensions are an error that only the operator can resolve. */
  async vectorIndex(name: string): Promise<Made> {
    const known = await this.#find(`/vectorize/v2/indexes/${name}`)
    if (known === null) await this.#ask('POST', '/vectorize/v2/indexes', { name, config: VECTORS })
    else {
      const { dimensions, metric } = recordOf(recordOf(known)['config'])
      if (dimensions !== VECTORS.dimensions || metric !== VECTORS.metric)
        throw new SetupError(
          `The Vectorize index ${name} already exists with ${String(dimensions)} dimensions and ${String(metric)}.`,
        )
    }
    return { id: name, isNew: known === null }
  }

  async scripts(): Promise<Set<string>> {
    return new Set(listOf(await this.#ask('GET', '/workers/scripts')).map((script) => textOf(script['id'])))
  }

  async secretNames(script: string): Promise<Set<string>> {
    const secrets = await this.#ask('GET', `/workers/scripts/${script}/secrets`)
    return new Set(listOf(secrets).map((secret) => textOf(secret['name'])))
  }

  async putSecret(script: string, name: string, text: string): Promise<void> {
    await this.#ask('PUT', `/workers/scripts/${script}/secrets`, { name, text, type: 'secret_text' })
  }

  async deleteSecret(script: string, name: string): Promise<void> {
    await this.#ask('DELETE', `/workers/scripts/${script}/secrets/${name}`)
  }

  /** The versions that can be redeployed; empty if the Worker does not exist. */
  async deployableVersions(script: string): Promise<Version[]> {
    const found = await this.#find(`/workers/scripts/${script}/versions?deployable=true`)
    if (found === null) return []
    return listOf(recordOf(found)['items']).map(({ id, number, annotations }) => {
      const tag = (annotations as Record<string, unknown> | undefined)?.['workers/tag']
      return { id: textOf(id), number: Number(number), tag: typeof tag === 'string' ? tag : null }
    })
  }

  /** Splits the traffic between at most two versions. */
  async deployVersions(script: string, shares: readonly Share[], message: string, update: ObjectUpdate): Promise<void> {
    await this.#ask('POST', `/workers/scripts/${script}/deployments`, {
      strategy: 'percentage',
      versions: shares.map(({ versionId, percentage }) => ({ version_id: versionId, percentage })),
      annotations: { 'workers/message': message },
      code_update_strategy: update,
    })
  }

  /** How the traffic is split now; empty if the Worker does not exist. */
  async shares(script: string): Promise<Share[]> {
    const found = await this.#find(`/workers/scripts/${script}/deployments`)
    if (found === null) return []
    const [active] = listOf(recordOf(found)['deployments'])
    return listOf(active?.['versions'] ?? []).map(({ version_id, percentage }) => ({
      versionId: textOf(version_id),
      percentage: Number(percentage),
    }))
  }

  /** The tag of the last migration of Durable Object classes that was applied; null without one. */
  async classMigration(script: string): Promise<string | null> {
    const found = await this.#find(`/workers/services/${script}`)
    if (found === null) return null
    const { migration_tag: tag } = recordOf(recordOf(recordOf(found)['default_environment'])['script'])
    return typeof tag === 'string' ? tag : null
  }

  /** What belongs to a Worker and not to one of its versions. */
  async changeSettings(script: string, settings: object): Promise<void> {
    await this.#ask('PATCH', `/workers/scripts/${script}/script-settings`, settings)
  }

  /** The bytes of an object, or null. */
  async readObject(bucket: string, key: string): Promise<Uint8Array | null> {
    const path = `/r2/buckets/${bucket}/objects/${key}`
    const response = await this.#fetch('GET', path, { headers: this.#placed(path) }, TRANSFER_TIMEOUT_MS)
    if (response.status === 404) return null
    if (response.status === 200) return new Uint8Array(await response.arrayBuffer())
    return this.#resultOf('GET', path, response.status, await envelopeOf(response)) as never
  }

  async writeObject(bucket: string, key: string, bytes: Uint8Array): Promise<void> {
    const path = `/r2/buckets/${bucket}/objects/${key}`
    const headers = { 'content-type': 'application/octet-stream', ...this.#placed(path) }
    const init = { headers, body: bytes as Uint8Array<ArrayBuffer> }
    const response = await this.#fetch('PUT', path, init, TRANSFER_TIMEOUT_MS)
    this.#resultOf('PUT', path, response.status, await envelopeOf(response))
  }

  /** The rows of one statement. */
  async query(databaseId: string, sql: string): Promise<readonly Record<string, unknown>[]> {
    const [first] = listOf(await this.post(`/d1/database/${databaseId}/query`, { sql }))
    return listOf(first?.['results'] ?? [])
  }

  /** What a path below the account answers. */
  post(path: string, body: object): Promise<unknown> {
    return this.#ask('POST', path, body)
  }

  async #find(path: string, headers?: Readonly<Record<string, string>>): Promise<unknown> {
    const { status, envelope } = await this.#exchange('GET', path, undefined, headers)
    return status === 404 ? null : this.#resultOf('GET', path, status, envelope)
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const { status, envelope } = await this.#exchange(method, path, body)
    return this.#resultOf(method, path, status, envelope)
  }

  /** `placed` instead of those of the jurisdiction. */
  async #exchange(
    method: string,
    path: string,
    body?: object,
    placed?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; envelope: Envelope }> {
    const headers = { 'content-type': 'application/json', ...(placed ?? this.#placed(path)) }
    const init = body === undefined ? { headers } : { headers, body: JSON.stringify(body) }
    const response = await this.#fetch(method, path, init, TIMEOUT_MS)
    return { status: response.status, envelope: await envelopeOf(response) }
  }

  /** Where to look for a bucket. */
  #placed(path: string): Readonly<Record<string, string>> {
    return path.startsWith('/r2/') ? bucketHeaders(this.#location) : {}
  }

  #fetch(method: string, path: string, init: Sent, timeoutMs: number): Promise<Response> {
    return fetch(this.#base + path, {
      method,
      ...init,
      headers: {
        ...init.headers,
        authorization: `Bearer ${this.#token}`,
      },
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((error: unknown) => {
      throw new SetupError(`Cloudflare cannot be reached: ${error instanceof Error ? error.message : String(error)}.`)
    })
  }

  /** Names the request and Cloudflare's answer, never the request body, which may contain a secret. */
  #resultOf(method: string, path: string, status: number, { success, result, errors }: Envelope): unknown {
    if (status < 300 && success === true) return result
    const said = errors?.map(({ code, message }) => `${code ?? ''} ${message ?? ''}`.trim()).join('; ') || 'no details'
    throw new SetupError(`Cloudflare answered ${status} to ${method} ${path.split('?')[0]}: ${said}.`)
  }
}

export interface Share {
  readonly versionId: string
  readonly percentage: number
}

/** How running Durable Objects change to the code of another version. */
export type ObjectUpdate = { readonly mode: 'immediate' } | { readonly mode: 'deferred'; readonly max_delay: number }

export interface Version {
  readonly id: string
  /** The sequence number of an upload of a Worker. */
  readonly number: number
  readonly tag: string | null
}

export interface Made {
  readonly id: string
  readonly isNew: boolean
}

async function envelopeOf(response: Response): Promise<Envelope> {
  return (await response.json().catch(() => ({}))) as Envelope
}

function listOf(result: unknown): Record<string, unknown>[] {
  if (!Array.isArray(result)) throw new SetupError('Cloudflare did not return a list.')
  return result.map(recordOf)
}

function recordOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new SetupError('Cloudflare did not return an object.')
  return value as Record<string, unknown>
}

function textOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new SetupError('Cloudflare returned no name or no id.')
  return value
}
