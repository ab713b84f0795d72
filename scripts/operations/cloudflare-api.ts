import { SetupError } from '@svc/platform/workspace'
import { CloudflareRequests, type Credentials, listOf, recordOf, textOf } from './cloudflare-requests.ts'
import { ANYWHERE, bucketHeaders, bucketLocation, databaseLocation, type Location } from './location.ts'
import type { LifecycleRule, LockRule } from './settings/bucket-locks.ts'

/** The vectors of all four services have 256 values of 1 and -1: their cosine is 1 - (Hamming distance) / 128. */
const VECTORS = { dimensions: 256, metric: 'cosine' } as const
const PAGE = 100

/** What Cloudflare reports about a database. */
export interface DatabaseSettings {
  readonly jurisdiction: string
  /** In capitals: `WEUR`. */
  readonly region: string
  readonly readReplication: string
}

/** Looks resources up before it creates them, so that an interrupted run can be repeated. */
export class CloudflareApi {
  readonly #requests: CloudflareRequests
  readonly #location: Location

  constructor(credentials: Credentials) {
    this.#requests = new CloudflareRequests(credentials)
    this.#location = credentials.location ?? ANYWHERE
  }

  /** What has Wrangler ask the same account with the same token. */
  get environment(): Readonly<Record<string, string>> {
    return this.#requests.environment
  }

  /** The id, and whether it was created now. */
  async database(name: string): Promise<Made> {
    const found = await this.#requests.ask('GET', `/d1/database?name=${encodeURIComponent(name)}`)
    const known = listOf(found).find((database) => database['name'] === name)
    const made =
      known ?? recordOf(await this.#requests.ask('POST', '/d1/database', { name, ...databaseLocation(this.#location) }))
    return { id: textOf(made['uuid']), isNew: known === undefined }
  }

  async databaseSettings(id: string): Promise<DatabaseSettings> {
    const found = recordOf(await this.#requests.ask('GET', `/d1/database/${id}`))
    const { jurisdiction, running_in_region: region, read_replication: replication } = found
    return {
      jurisdiction: jurisdiction ? textOf(jurisdiction) : 'none',
      region: region ? textOf(region) : '',
      readReplication: replication ? textOf(recordOf(replication)['mode']) : 'disabled',
    }
  }

  async setReadReplication(id: string, mode: string): Promise<void> {
    await this.#requests.ask('PUT', `/d1/database/${id}`, { read_replication: { mode } })
  }

  async namespace(title: string): Promise<Made> {
    for (let page = 1; ; page += 1) {
      const namespaces = listOf(await this.#requests.ask('GET', `/storage/kv/namespaces?per_page=${PAGE}&page=${page}`))
      const known = namespaces.find((namespace) => namespace['title'] === title)
      if (known !== undefined) return { id: textOf(known['id']), isNew: false }
      if (namespaces.length < PAGE) break
    }
    const made = recordOf(await this.#requests.ask('POST', '/storage/kv/namespaces', { title }))
    return { id: textOf(made['id']), isNew: true }
  }

  async bucket(name: string): Promise<Made> {
    const isNew = (await this.#requests.find(`/r2/buckets/${name}`)) === null
    if (isNew) await this.#requests.ask('POST', '/r2/buckets', { name, ...bucketLocation(this.#location) })
    return { id: name, isNew }
  }

  /** Where a bucket of a jurisdiction is; empty if Cloudflare does not say, null if there is none. */
  async bucketRegion(name: string, jurisdiction: Location['jurisdiction']): Promise<string | null> {
    const found = await this.#requests.find(`/r2/buckets/${name}`, bucketHeaders({ jurisdiction }))
    if (found === null) return null
    const { location } = recordOf(found)
    return location ? textOf(location) : ''
  }

  async lockRules(bucket: string): Promise<LockRule[]> {
    const { rules } = recordOf(await this.#requests.ask('GET', `/r2/buckets/${bucket}/lock`))
    return listOf(rules ?? []) as unknown as LockRule[]
  }

  /** Replaces all rules of the bucket. */
  async putLockRules(bucket: string, rules: readonly LockRule[]): Promise<void> {
    await this.#requests.ask('PUT', `/r2/buckets/${bucket}/lock`, { rules })
  }

  async lifecycleRules(bucket: string): Promise<LifecycleRule[]> {
    const { rules } = recordOf(await this.#requests.ask('GET', `/r2/buckets/${bucket}/lifecycle`))
    return listOf(rules ?? []) as unknown as LifecycleRule[]
  }

  /** Replaces all rules of the bucket. */
  async putLifecycleRules(bucket: string, rules: readonly LifecycleRule[]): Promise<void> {
    await this.#requests.ask('PUT', `/r2/buckets/${bucket}/lifecycle`, { rules })
  }

  /** A variable of the deployed Worker; null if it has none of that name. */
  async variable(script: string, name: string): Promise<string | null> {
    const { bindings } = recordOf(await this.#requests.ask('GET', `/workers/scripts/${script}/settings`))
    const found = listOf(bindings ?? []).find((binding) => binding['name'] === name && binding['type'] === 'plain_text')
    return found === undefined ? null : String(found['text'])
  }

  /** The code of the deployed version, by the names of its modules. */
  async modules(script: string): Promise<Map<string, Uint8Array>> {
    const path = `/workers/scripts/${script}/content/v2`
    const response = await this.#requests.transfer('GET', path)
    const isForm = response.headers.get('content-type')?.startsWith('multipart/form-data') === true
    if (response.status !== 200 || !isForm) await this.#requests.checked('GET', path, response)
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
    const known = await this.#requests.find(`/vectorize/v2/indexes/${name}`)
    if (known === null) await this.#requests.ask('POST', '/vectorize/v2/indexes', { name, config: VECTORS })
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
    return new Set(listOf(await this.#requests.ask('GET', '/workers/scripts')).map((script) => textOf(script['id'])))
  }

  async secretNames(script: string): Promise<Set<string>> {
    const secrets = await this.#requests.ask('GET', `/workers/scripts/${script}/secrets`)
    return new Set(listOf(secrets).map((secret) => textOf(secret['name'])))
  }

  async putSecret(script: string, name: string, text: string): Promise<void> {
    await this.#requests.ask('PUT', `/workers/scripts/${script}/secrets`, { name, text, type: 'secret_text' })
  }

  async deleteSecret(script: string, name: string): Promise<void> {
    await this.#requests.ask('DELETE', `/workers/scripts/${script}/secrets/${name}`)
  }

  /** The versions that can be redeployed; empty if the Worker does not exist. */
  async deployableVersions(script: string): Promise<Version[]> {
    const found = await this.#requests.find(`/workers/scripts/${script}/versions?deployable=true`)
    if (found === null) return []
    return listOf(recordOf(found)['items']).map(({ id, number, annotations }) => {
      const tag = (annotations as Record<string, unknown> | undefined)?.['workers/tag']
      return { id: textOf(id), number: Number(number), tag: typeof tag === 'string' ? tag : null }
    })
  }

  /** Splits the traffic between at most two versions. */
  async deployVersions(script: string, shares: readonly Share[], message: string, update: ObjectUpdate): Promise<void> {
    await this.#requests.ask('POST', `/workers/scripts/${script}/deployments`, {
      strategy: 'percentage',
      versions: shares.map(({ versionId, percentage }) => ({ version_id: versionId, percentage })),
      annotations: { 'workers/message': message },
      code_update_strategy: update,
    })
  }

  /** How the traffic is split now; empty if the Worker does not exist. */
  async shares(script: string): Promise<Share[]> {
    const found = await this.#requests.find(`/workers/scripts/${script}/deployments`)
    if (found === null) return []
    const [active] = listOf(recordOf(found)['deployments'])
    return listOf(active?.['versions'] ?? []).map(({ version_id, percentage }) => ({
      versionId: textOf(version_id),
      percentage: Number(percentage),
    }))
  }

  /** The tag of the last migration of Durable Object classes that was applied; null without one. */
  async classMigration(script: string): Promise<string | null> {
    const found = await this.#requests.find(`/workers/services/${script}`)
    if (found === null) return null
    const { migration_tag: tag } = recordOf(recordOf(recordOf(found)['default_environment'])['script'])
    return typeof tag === 'string' ? tag : null
  }

  /** What belongs to a Worker and not to one of its versions. */
  async changeSettings(script: string, settings: object): Promise<void> {
    await this.#requests.ask('PATCH', `/workers/scripts/${script}/script-settings`, settings)
  }

  /** The bytes of an object, or null. */
  async readObject(bucket: string, key: string): Promise<Uint8Array | null> {
    const path = `/r2/buckets/${bucket}/objects/${key}`
    const response = await this.#requests.transfer('GET', path)
    if (response.status === 404) return null
    if (response.status === 200) return new Uint8Array(await response.arrayBuffer())
    return (await this.#requests.checked('GET', path, response)) as never
  }

  async writeObject(bucket: string, key: string, bytes: Uint8Array): Promise<void> {
    const path = `/r2/buckets/${bucket}/objects/${key}`
    await this.#requests.checked('PUT', path, await this.#requests.transfer('PUT', path, bytes))
  }

  /** The rows of one statement. */
  async query(databaseId: string, sql: string): Promise<readonly Record<string, unknown>[]> {
    const [first] = listOf(await this.post(`/d1/database/${databaseId}/query`, { sql }))
    return listOf(first?.['results'] ?? [])
  }

  /** What a path below the account answers. */
  post(path: string, body: object): Promise<unknown> {
    return this.#requests.ask('POST', path, body)
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
