import { type FileSet, provisionFiles, sizeOf } from '@svc/platform/provision-files'
import type { WorkerName } from '@svc/platform/workspace'
import { SetupError } from '@svc/platform/workspace'
import type { CloudflareApi, Made } from './cloudflare-api.ts'
import { EXPORT_BUCKET } from './databases/export-place.ts'
import { boundOf, calleesFirst } from './deploy-order.ts'
import { type Deployment, writeDeployment } from './deployment.ts'
import { replicationOf } from './location.ts'
import {
  type ChangedSecret,
  INTERNAL,
  keptNameOf,
  kindOf,
  previousOf,
  type SecretsFile,
  secretNamesOf,
} from './secrets.ts'
import { publishFirstKeys } from './service-keys.ts'
import { BUCKET_LOCKS, LIFECYCLES, missingRules } from './settings/bucket-locks.ts'
import { checkBucket, checkDatabase, checkObjects } from './settings/check-settings.ts'
import { namespaceTitle, type RawConfig, vectorIndexesOf } from './worker-deployment.ts'

export interface Provisioning {
  readonly deployment: Deployment
  readonly configs: ReadonlyMap<WorkerName, RawConfig>
  readonly secrets: SecretsFile
  /** The files that provenance serves from its bucket and that no client uploads. */
  readonly fileSets: readonly FileSet[]
  readonly print: (line: string) => void
}

interface Resource {
  readonly kind: 'D1 database' | 'KV namespace' | 'R2 bucket' | 'Vectorize index'
  readonly name: string
}

/** The resources that the Workers bind to and that must be created, and the bucket of exports. Rate-limit namespaces are just numbers. */
export function resourcesOf({ configs, deployment }: Pick<Provisioning, 'configs' | 'deployment'>): Resource[] {
  const { suffix } = deployment
  const resources = [...configs].flatMap(([worker, config]): Resource[] => [
    ...(config.d1_databases ?? []).map(({ database_name }) => ({
      kind: 'D1 database' as const,
      name: database_name + suffix,
    })),
    ...(config.kv_namespaces ?? []).map(({ binding }) => ({
      kind: 'KV namespace' as const,
      name: namespaceTitle(config.name, binding, suffix),
    })),
    ...(config.r2_buckets ?? []).map(({ bucket_name }) => ({ kind: 'R2 bucket' as const, name: bucket_name + suffix })),
    ...vectorIndexesOf(worker, config, deployment).map(({ index_name }) => ({
      kind: 'Vectorize index' as const,
      name: index_name + suffix,
    })),
  ])
  resources.push({ kind: 'R2 bucket', name: EXPORT_BUCKET + suffix })
  return resources.filter(
    ({ kind, name }, index) => resources.findIndex((one) => one.kind === kind && one.name === name) === index,
  )
}

/** Prints what provisioning would do, without a request. */
export function describeProvisioning({ deployment, configs, secrets, fileSets, print }: Provisioning): void {
  for (const { kind, name } of resourcesOf({ deployment, configs })) {
    print(`${kind} ${name}: would be created unless it exists`)
    const locks = kind === 'R2 bucket' ? BUCKET_LOCKS[name.slice(0, name.length - deployment.suffix.length)] : undefined
    if (locks) print(`  would be locked: ${locks.map(({ prefix }) => prefix).join(', ')}`)
  }
  for (const set of fileSets)
    for (const bucket of fileBuckets({ deployment, configs }))
      print(
        `${set.manifestKey} of ${bucket}: ${set.files.length} missing would be uploaded, ${(sizeOf(set) / 1e6).toFixed(1)} MB`,
      )
  print(`rate limits: namespaces from ${deployment.namespaceOffset} on; nothing to create`)
  for (const [worker, config] of configs)
    for (const name of secretNamesOf(worker, config, secrets))
      print(`secret ${name} of ${config.name}${deployment.suffix}: ${standingOf(keptNameOf(worker, name), secrets)}`)
  print(logListStanding(deployment))
  print(consoleStanding(deployment))
}

/** Static files need no resource. */
function consoleStanding({ console }: Deployment): string {
  return console
    ? `console: nothing to create; scripts/deploy uploads it to ${console.host}`
    : 'console: left out; set console in the file of the environment to have one'
}

/** Provisioning cannot make the list: its keys are offline, and the Workers that report the keys of logs come later. */
function logListStanding({ name, logListKeys }: Deployment): string {
  return logListKeys
    ? `log list: signed by ${logListKeys.threshold} of ${logListKeys.publicKeysB64u.length} keys`
    : `log list: none yet. After scripts/deploy, run scripts/log-list init ${name}`
}

function standingOf(name: string, secrets: SecretsFile): string {
  if (secrets.has(name)) return `would be sent from ${secrets.path} if the Worker has none`
  return kindOf(name) === 'made' ? `would be generated and kept in ${secrets.path}` : `is not in ${secrets.path}`
}

/** Creates missing resources, keeps their ids, and sends secrets to Workers that lack them. Existing ones stay unchanged. */
export async function provision(provisioning: Provisioning, api: CloudflareApi): Promise<Deployment> {
  const { print } = provisioning
  let { deployment } = provisioning
  const { location, suffix } = deployment
  // Before anything is created: what is elsewhere stays there.
  provisioning.secrets.requireOwn()
  await checkObjects(api, provisioning.configs, deployment)
  for (const { kind, name } of resourcesOf(provisioning)) {
    const differs = kind === 'R2 bucket' ? await checkBucket(api, name, location) : []
    const { id, isNew } = await make(api, kind, name)
    if (kind === 'D1 database') differs.push(...(await settleDatabase(api, { id, name }, provisioning.deployment)))
    print(`${kind} ${name}: ${isNew ? 'made' : 'there'}`)
    for (const line of differs) print(line)
    if (kind === 'R2 bucket') await lockBucket(api, name, suffix, print)
    // Written after each one, so that a later failure loses no id.
    if (kind === 'D1 database') deployment = keepId(deployment, 'd1', name, id)
    if (kind === 'KV namespace') deployment = keepId(deployment, 'kv', name, id)
  }
  await putFiles(provisioning, api)
  await provisionSecrets({ ...provisioning, deployment }, api)
  const { length } = deployment.serviceKeys
  deployment = await publishFirstKeys(deployment, provisioning.secrets)
  print(`published keys: ${length} there, ${deployment.serviceKeys.length - length} added`)
  print(logListStanding(deployment))
  print(consoleStanding(deployment))
  return deployment
}

/** Refuses a database that is elsewhere, and sets whether it is replicated. Returns what to say. */
async function settleDatabase(
  api: CloudflareApi,
  { id, name }: { readonly id: string; readonly name: string },
  { location, suffix }: Pick<Deployment, 'location' | 'suffix'>,
): Promise<string[]> {
  const found = await api.databaseSettings(id)
  const said = checkDatabase(name, found, location)
  const wanted = replicationOf(name.slice(0, name.length - suffix.length), location)
  if (found.readReplication === wanted) return said
  await api.setReadReplication(id, wanted)
  return [...said, `  read replication: ${wanted}`]
}

/** Adds the rules that the bucket lacks. Those of an operator stay. */
async function lockBucket(api: CloudflareApi, name: string, suffix: string, print: (line: string) => void) {
  const wanted = BUCKET_LOCKS[name.slice(0, name.length - suffix.length)] ?? []
  if (wanted.length === 0) return
  const found = await api.lockRules(name)
  const missing = missingRules(found, wanted)
  const kept = found.filter(({ id }) => !missing.some((rule) => rule.id === id))
  if (missing.length > 0) await api.putLockRules(name, [...kept, ...missing])
  const ends = LIFECYCLES[name.slice(0, name.length - suffix.length)] ?? []
  const known = ends.length > 0 ? await api.lifecycleRules(name) : []
  const lacking = ends.filter((rule) => !known.some(({ id }) => id === rule.id))
  if (lacking.length > 0) await api.putLifecycleRules(name, [...known, ...lacking])
  print(`  locked: ${wanted.map(({ prefix }) => prefix).join(', ')}${missing.length > 0 ? '' : ' already'}`)
}

/** The bucket of provenance; empty if the Worker is not provisioned. */
function fileBuckets({ configs, deployment: { suffix } }: Pick<Provisioning, 'configs' | 'deployment'>): string[] {
  const buckets = configs.get('provenance')?.r2_buckets ?? []
  return buckets.filter(({ binding }) => binding === 'BLOBS').map(({ bucket_name }) => bucket_name + suffix)
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
      print(`${set.manifestKey} of ${bucket}: ${written} uploaded, ${present} unchanged`)
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
    throw new SetupError(`deployments/${deployment.name}.json has a different id for ${name} than the account.`)
  return writeDeployment(deployment, { resources: { ...resources, [kind]: { ...resources[kind], [name]: id } } })
}

/** The secrets that each Worker has at Cloudflare; null if it was never uploaded. */
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
    secretNamesOf(worker, config, secrets).map((name) => ({
      worker,
      name,
      kept: keptNameOf(worker, name),
      script: config.name + deployment.suffix,
    })),
  )
  const names = new Set(places.map(({ kept }) => kept))
  for (const name of names) {
    const everywhere = places.filter(({ kept }) => kept === name)
    const have = everywhere.filter((place) => sent.get(place.worker)?.has(place.name) === true)
    if (kindOf(name) !== 'made' || secrets.has(name) || have.length === everywhere.length) continue
    // Secrets cannot be read back. A second value would separate Workers that must share one.
    if (have.length > 0)
      throw new SetupError(
        `${name} is at ${have.map(({ script }) => script).join(', ')} and not in ${secrets.path}: restore that file.`,
      )
    secrets.make(name)
    print(`secret ${name}: generated, and kept in ${secrets.path}`)
  }
  for (const { worker, name, kept, script } of places) {
    const atWorker = sent.get(worker)
    const value = secrets.get(kept)
    if (atWorker?.has(name)) print(`secret ${name} of ${script}: already set`)
    else if (value === undefined) print(`secret ${name} of ${script}: not in ${secrets.path}`)
    else if (atWorker === null || atWorker === undefined)
      print(`secret ${name} of ${script}: will be uploaded with the Worker`)
    else {
      await api.putSecret(script, name, value)
      print(`secret ${name} of ${script}: sent`)
    }
  }
}

export interface SecretChange extends Omit<Provisioning, 'fileSets'> {
  /** The internal secret, unless another one is named. */
  readonly secret?: ChangedSecret
  /** Waits until a sent secret has reached all locations. */
  readonly settle: () => Promise<void>
}

/**
 * Gives every Worker that has the secret a new one, and the current one as the previous one. A Worker changes after the
 * Workers it calls, so that they accept the new secret before it sends it. Can be run again after a failure.
 */
export async function changeSecret(change: SecretChange, api: CloudflareApi): Promise<void> {
  const { configs, deployment, secrets, settle, print, secret = INTERNAL } = change
  const order = calleesFirst([...configs.values()].map(boundOf))
  const previous = previousOf(secret)
  secrets.change(secret)
  for (const name of order) {
    const [worker, config] = [...configs].find(([, one]) => one.name === name) ?? []
    if (worker === undefined || config === undefined || !secretNamesOf(worker, config, secrets).includes(secret))
      continue
    const script = config.name + deployment.suffix
    // The previous secret first: for a moment the Worker has the same value twice, but it never misses one.
    await api.putSecret(script, previous, secrets.get(previous) ?? '')
    await api.putSecret(script, secret, secrets.get(secret) ?? '')
    print(`${script}: accepts both, ${secret === INTERNAL ? 'sends' : 'uses'} the new one`)
    await settle()
  }
}

/** Completes a change: from now on the previous secret is not accepted. */
export async function finishChange(
  { configs, deployment, secrets, print, secret = INTERNAL }: Omit<SecretChange, 'settle'>,
  api: CloudflareApi,
): Promise<void> {
  const previous = previousOf(secret)
  for (const [worker, config] of configs) {
    if (!secretNamesOf(worker, config, secrets).includes(secret)) continue
    const script = config.name + deployment.suffix
    if (!(await api.secretNames(script)).has(previous)) continue
    await api.deleteSecret(script, previous)
    print(`${script}: accepts only the new one`)
  }
  secrets.forget(previous)
}
