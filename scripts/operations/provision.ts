import { type FileSet, provisionFiles, sizeOf } from '../lib/provision-files.ts'
import type { WorkerName } from '../lib/workspace.ts'
import { SetupError } from '../lib/workspace.ts'
import type { CloudflareApi, Made } from './cloudflare-api.ts'
import { boundOf, calleesFirst } from './deploy-order.ts'
import { type Deployment, writeResources } from './deployment.ts'
import { INTERNAL, kindOf, PREVIOUS, type SecretsFile, secretNamesOf } from './secrets.ts'
import { namespaceTitle, type RawConfig } from './worker-deployment.ts'

export interface Provisioning {
  readonly deployment: Deployment
  readonly configs: ReadonlyMap<WorkerName, RawConfig>
  readonly secrets: SecretsFile
  /** What provenance serves from its bucket and nobody uploads through it. */
  readonly fileSets: readonly FileSet[]
  readonly print: (line: string) => void
}

interface Resource {
  readonly kind: 'D1 database' | 'KV namespace' | 'R2 bucket' | 'Vectorize index'
  readonly name: string
}

/** Everything that the Workers bind to and that has to be made. Rate-limit namespaces are numbers, and need no making. */
export function resourcesOf({
  configs,
  deployment: { suffix },
}: Pick<Provisioning, 'configs' | 'deployment'>): Resource[] {
  const resources = [...configs.values()].flatMap((config): Resource[] => [
    ...(config.d1_databases ?? []).map(({ database_name }) => ({
      kind: 'D1 database' as const,
      name: database_name + suffix,
    })),
    ...(config.kv_namespaces ?? []).map(({ binding }) => ({
      kind: 'KV namespace' as const,
      name: namespaceTitle(config.name, binding, suffix),
    })),
    ...(config.r2_buckets ?? []).map(({ bucket_name }) => ({ kind: 'R2 bucket' as const, name: bucket_name + suffix })),
    ...(config.vectorize ?? []).map(({ index_name }) => ({
      kind: 'Vectorize index' as const,
      name: index_name + suffix,
    })),
  ])
  return resources.filter(
    ({ kind, name }, index) => resources.findIndex((one) => one.kind === kind && one.name === name) === index,
  )
}

/** Says what it would do, and asks nobody. */
export function describeProvisioning({ deployment, configs, secrets, fileSets, print }: Provisioning): void {
  for (const { kind, name } of resourcesOf({ deployment, configs }))
    print(`${kind} ${name}: would be looked up, and made if it is not there`)
  for (const set of fileSets)
    for (const bucket of fileBuckets({ deployment, configs }))
      print(
        `${set.manifestKey} of ${bucket}: ${set.files.length} would be put there where it names none, ${(sizeOf(set) / 1e6).toFixed(1)} MB`,
      )
  print(`rate limits: namespaces from ${deployment.namespaceOffset} on; nothing to make`)
  for (const [worker, config] of configs)
    for (const name of secretNamesOf(worker, config))
      print(`secret ${name} of ${config.name}${deployment.suffix}: ${standingOf(name, secrets)}`)
}

function standingOf(name: string, secrets: SecretsFile): string {
  if (secrets.has(name)) return `would be sent from ${secrets.path} if the Worker has none`
  return kindOf(name) === 'made' ? `would be made and kept in ${secrets.path}` : `is not in ${secrets.path}`
}

/** Makes what is missing, keeps its ids, and sends secrets to Workers that have none. Whatever is there stays. */
export async function provision(provisioning: Provisioning, api: CloudflareApi): Promise<Deployment> {
  const { print } = provisioning
  let { deployment } = provisioning
  for (const { kind, name } of resourcesOf(provisioning)) {
    const { id, isNew } = await make(api, kind, name)
    print(`${kind} ${name}: ${isNew ? 'made' : 'there'}`)
    // After each: a fault in the next one loses no id.
    if (kind === 'D1 database') deployment = keepId(deployment, 'd1', name, id)
    if (kind === 'KV namespace') deployment = keepId(deployment, 'kv', name, id)
  }
  await putFiles(provisioning, api)
  await provisionSecrets({ ...provisioning, deployment }, api)
  return deployment
}

/** The bucket of provenance; none where the Worker is not among those that are provisioned. */
function fileBuckets({ configs, deployment: { suffix } }: Pick<Provisioning, 'configs' | 'deployment'>): string[] {
  return (configs.get('provenance')?.r2_buckets ?? []).map(({ bucket_name }) => bucket_name + suffix)
}

async function putFiles(provisioning: Provisioning, api: CloudflareApi): Promise<void> {
  const { fileSets, print } = provisioning
  for (const bucket of fileBuckets(provisioning))
    for (const set of fileSets) {
      const target = {
        read: (key: string) => api.readObject(bucket, key),
        write: (key: string, bytes: Uint8Array) => api.writeObject(bucket, key, bytes),
      }
      const { written, present } = await provisionFiles(target, set)
      print(`${set.manifestKey} of ${bucket}: ${written} put, ${present} there`)
    }
}

function make(api: CloudflareApi, kind: Resource['kind'], name: string): Promise<Made> {
  switch (kind) {
    case 'D1 database':
      return api.database(name)
    case 'KV namespace':
      return api.namespace(name)
    case 'R2 bucket':
      return api.bucket(name)
    case 'Vectorize index':
      return api.vectorIndex(name)
  }
}

function keepId(deployment: Deployment, kind: 'd1' | 'kv', name: string, id: string): Deployment {
  const { resources } = deployment
  const known = resources[kind][name]
  if (known === id) return deployment
  if (known !== undefined)
    throw new SetupError(`deployments/${deployment.name}.json has another id for ${name} than the account.`)
  return writeResources(deployment, { ...resources, [kind]: { ...resources[kind], [name]: id } })
}

/** Which secrets each Worker has at Cloudflare; none where it has not been uploaded. */
export async function sentSecrets(
  { configs, deployment: { suffix } }: Pick<Provisioning, 'configs' | 'deployment'>,
  api: CloudflareApi,
) {
  const scripts = await api.scripts()
  const sent = new Map<WorkerName, ReadonlySet<string> | null>()
  for (const [worker, { name }] of configs)
    sent.set(worker, scripts.has(name + suffix) ? await api.secretNames(name + suffix) : null)
  return sent
}

async function provisionSecrets(provisioning: Omit<Provisioning, 'fileSets'>, api: CloudflareApi): Promise<void> {
  const { configs, deployment, secrets, print } = provisioning
  const sent = await sentSecrets(provisioning, api)
  const places = [...configs].flatMap(([worker, config]) =>
    secretNamesOf(worker, config).map((name) => ({ worker, name, script: config.name + deployment.suffix })),
  )
  const names = new Set(places.map(({ name }) => name))
  for (const name of names) {
    const everywhere = places.filter((place) => place.name === name)
    const have = everywhere.filter(({ worker }) => sent.get(worker)?.has(name) === true)
    if (kindOf(name) !== 'made' || secrets.has(name) || have.length === everywhere.length) continue
    // A second value beside one that nobody can read back would part Workers that must share it.
    if (have.length > 0)
      throw new SetupError(
        `${name} is at ${have.map(({ script }) => script).join(', ')} and not in ${secrets.path}: put that file in its place.`,
      )
    secrets.make(name)
    print(`secret ${name}: made, and kept in ${secrets.path}`)
  }
  for (const { worker, name, script } of places) {
    const atWorker = sent.get(worker)
    const value = secrets.get(name)
    if (atWorker?.has(name)) print(`secret ${name} of ${script}: there`)
    else if (value === undefined) print(`secret ${name} of ${script}: not in ${secrets.path}`)
    else if (atWorker === null || atWorker === undefined) print(`secret ${name} of ${script}: goes up with the Worker`)
    else {
      await api.putSecret(script, name, value)
      print(`secret ${name} of ${script}: sent`)
    }
  }
}

export interface InternalChange extends Omit<Provisioning, 'fileSets'> {
  /** Waits until what was sent is everywhere. */
  readonly settle: () => Promise<void>
}

/**
 * Gives every Worker that has the internal secret another one, and the one in force as the previous one. A Worker is
 * changed after those that it calls, so whoever sends the new one is understood. It may be run again after a fault.
 */
export async function changeInternalSecret(change: InternalChange, api: CloudflareApi): Promise<void> {
  const { configs, deployment, secrets, settle, print } = change
  const order = calleesFirst([...configs.values()].map(boundOf))
  secrets.changeInternal()
  for (const name of order) {
    const [worker, config] = [...configs].find(([, one]) => one.name === name) ?? []
    if (worker === undefined || config === undefined || !secretNamesOf(worker, config).includes(INTERNAL)) continue
    const script = config.name + deployment.suffix
    // The previous one first: for a moment the Worker has the same secret twice, and never one too few.
    await api.putSecret(script, PREVIOUS, secrets.get(PREVIOUS) ?? '')
    await api.putSecret(script, INTERNAL, secrets.get(INTERNAL) ?? '')
    print(`${script}: takes both, sends the new one`)
    await settle()
  }
}

/** Ends a change: from here on the previous secret opens nothing. */
export async function finishInternalChange(
  { configs, deployment, secrets, print }: Omit<Provisioning, 'fileSets'>,
  api: CloudflareApi,
): Promise<void> {
  for (const [worker, config] of configs) {
    if (!secretNamesOf(worker, config).includes(INTERNAL)) continue
    const script = config.name + deployment.suffix
    if (!(await api.secretNames(script)).has(PREVIOUS)) continue
    await api.deleteSecret(script, PREVIOUS)
    print(`${script}: takes the new one alone`)
  }
  secrets.forget(PREVIOUS)
}
