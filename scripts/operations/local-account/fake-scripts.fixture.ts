/**
 * Cloudflare's Workers in memory: uploaded versions, how the traffic is split between them, and their secrets.
 *
 * @module
 */
export interface Answer {
  readonly status: number
  readonly result?: unknown
  readonly bytes?: Buffer
  readonly form?: FormData
  readonly headers?: Readonly<Record<string, string>>
}

export function ok(result: unknown): Answer {
  return { status: 200, result }
}

interface Upload {
  readonly id: string
  readonly bindings: readonly { name: string; type: string; service?: string; text?: string }[]
  readonly tag: string
  /** Code and source maps by name. */
  readonly modules: ReadonlyMap<string, File>
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
  readonly message?: string
}

/** What is at `/workers/` of an account. */
export class FakeScripts {
  readonly scripts = new Map<string, Script>()
  /** The paths of the static files of each script. */
  readonly assets = new Map<string, readonly string[]>()

  script(name: string): Script {
    const made: Script = { secrets: new Map(), uploads: [], deployments: [], migration: null, refused: new Set() }
    const script = this.scripts.get(name) ?? made
    this.scripts.set(name, script)
    return script
  }

  /** Adds an upload, deployed at once. */
  upload(name: string, tag: string, bindings: Upload['bindings'] = [], modules: Upload['modules'] = new Map()): Upload {
    const upload = this.#add(name, tag, bindings, modules)
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

  #add(name: string, tag: string, bindings: Upload['bindings'], modules: Upload['modules']): Upload {
    const { uploads, migration } = this.script(name)
    const upload = { id: `${name}-${uploads.length + 1}`, bindings, tag, modules, migration }
    uploads.push(upload)
    return upload
  }

  /** Null for what is not a request about Workers. */
  protected workers(method: string, path: string, sent: Record<string, unknown>, form: FormData | null): Answer | null {
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
    if (rest === '/content/v2' && method === 'GET') return this.#content(name)
    if (rest === '/script-settings' && method === 'PATCH') return ok({})
    if (rest === '/settings' && method === 'GET') return this.#settings(name)
    if (rest === '/versions' && method === 'GET') return this.#versions(name)
    if (rest === '/deployments' && method === 'POST') return this.#deploy(name, sent)
    if (rest === '/deployments' && method === 'GET') return this.#deployments(name)
    if (method === 'PUT' && rest === '') return this.#upload(name, form, { isDeployed: true })
    // Wrangler deploys such a version with a request of its own.
    if (method === 'POST' && rest === '/versions') return this.#upload(name, form, { isDeployed: false })
    return null
  }

  /** The modules of the newest version that has traffic, without their source maps. */
  #content(name: string): Answer {
    const script = this.scripts.get(name)
    const live = script?.uploads.find(({ id }) => id === script.deployments.at(-1)?.shares.at(-1)?.id)
    if (live === undefined) return { status: 404 }
    const form = new FormData()
    for (const [module, file] of live.modules) if (!module.endsWith('.map')) form.set(module, file, module)
    return { status: 200, form }
  }

  /** The bindings of the newest version. */
  #settings(name: string): Answer {
    const script = this.scripts.get(name)
    return script === undefined ? { status: 404 } : ok({ bindings: script.uploads.at(-1)?.bindings ?? [] })
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
    const { 'workers/message': message = '' } = (sent['annotations'] ?? {}) as Record<string, string>
    script.deployments.push({ shares, update: (sent['code_update_strategy'] as object | undefined) ?? null, message })
    return ok({ id: `${name}-deployment-${script.deployments.length}` })
  }

  /** Rejects what Cloudflare rejects: bindings to missing Workers, and inherited secrets that do not exist. */
  #upload(name: string, form: FormData | null, { isDeployed }: { readonly isDeployed: boolean }): Answer {
    const metadata = form?.get('metadata')
    const {
      bindings = [],
      annotations = {},
      migrations,
    } = JSON.parse(typeof metadata === 'string' ? metadata : '{}') as {
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
    const files = [...(form ?? new FormData())].flatMap(([module, value]) =>
      value instanceof File ? [[module, value] as const] : [],
    )
    const modules = new Map(files)
    if (!isDeployed)
      return ok({
        id: this.#add(name, tag, bindings, modules).id,
        startup_time_ms: 1,
        metadata: { has_preview: false },
        resources: { script: { etag: 'e' } },
      })
    this.upload(name, tag, bindings, modules)
    return ok({ id: name, startup_time_ms: 1, deployment_id: 'd', etag: 'e', pipeline_hash: 'p' })
  }
}
