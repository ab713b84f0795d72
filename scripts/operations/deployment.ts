/**
 * An environment that the platform is deployed to: the file `deployments/<name>.json`. It has the differences from the
 * Workers' committed configuration and the ids of the environment's Cloudflare resources. No secrets.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { UsageError } from '@svc/platform/entry'
import { isWorkerName, ROOT, SetupError, WORKER_NAMES, type WorkerName } from '@svc/platform/workspace'
import { type Realms, realmsSchema } from '@svc/protocol/base/realm'
import { keysFault, type ServiceKey, serviceKeysSchema } from '@svc/protocol/http/service-keys'
import { type ListKeys, listKeysSchema } from '@svc/protocol/merkle/log-list'
import { isRecipient } from './databases/sealed-export.ts'
import { ANYWHERE, type Location, locationFault } from './location.ts'

export const DEPLOYMENTS = join(ROOT, 'deployments')

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type Vars = Readonly<Record<string, Json>>

export interface ConsoleDeployment {
  readonly host: string
  /** Of the Turnstile widget that new accounts pass; its secret is `TURNSTILE_SECRET` of auth. */
  readonly turnstileSiteKey: string
}

export interface Deployment {
  /** `staging`, `production`: the label that the services report as `environment`. */
  readonly name: string
  readonly path: string
  /** Empty to use CLOUDFLARE_ACCOUNT_ID. */
  readonly accountId: string
  /** Appended to the name of every resource, so that two environments can share an account. */
  readonly suffix: string
  /** Added to the ids of rate-limit namespaces, because equal ids share counters within an account. */
  readonly namespaceOffset: number
  /** The first host is canonical, the others are aliases. */
  readonly hosts: Readonly<Record<WorkerName, readonly string[]>>
  /** Null to leave the console out. */
  readonly console: ConsoleDeployment | null
  /** The aliases that redirect reads to the canonical host. */
  readonly redirectingHosts: readonly string[]
  /** Overrides a variable of every Worker that has it, or of one; null removes it. */
  readonly vars: Readonly<Partial<Record<'all' | WorkerName, Vars>>>
  /** The keys that services sign with, as published; `scripts/provision` writes them. */
  readonly serviceKeys: readonly ServiceKey[]
  /** The keys of the published log list; `scripts/log-list publish` writes them. Null until there is one. */
  readonly logListKeys: ListKeys | null
  readonly location: Location
  /** Keys of age that exports of databases are encrypted for. */
  readonly exportRecipients: readonly string[]
  readonly resources: Resources
}

export interface Resources {
  /** Ids by database name. */
  readonly d1: Readonly<Record<string, string>>
  /** Ids by namespace title. */
  readonly kv: Readonly<Record<string, string>>
}

export function deploymentNames(folder = DEPLOYMENTS): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .toSorted()
}

/** The realm that the services sign for, then others that they accept. */
export function realmsOf({ hosts, vars }: Pick<Deployment, 'hosts' | 'vars'>): Realms {
  return realmsSchema.parse(vars.all?.['REALMS'] ?? [`https://${hosts.core[0]}`])
}

/** The operand of the commands that work on one environment. */
export function environmentOf(operands: readonly string[]): string {
  const [name, ...more] = operands
  if (name !== undefined && more.length === 0) return name
  throw new UsageError(`Name one environment: ${deploymentNames().join(' or ')}`)
}

export function readDeployment(name: string, folder = DEPLOYMENTS): Deployment {
  const path = join(folder, `${name}.json`)
  if (!/^[a-z][a-z0-9-]*$/.test(name) || !existsSync(path))
    throw new SetupError(
      `There is no environment '${name}'. Environments: ${deploymentNames(folder).join(', ') || 'none'}.`,
    )
  return parseDeployment(name, path, readFileSync(path, 'utf8'))
}

function parseDeployment(name: string, path: string, text: string): Deployment {
  const fault = (what: string) => new SetupError(`deployments/${name}.json: ${what}.`)
  let file: Partial<Deployment>
  try {
    file = JSON.parse(text) as Partial<Deployment>
  } catch {
    throw fault('is not JSON')
  }
  const {
    accountId = '',
    suffix = '',
    namespaceOffset = 0,
    hosts,
    console = null,
    redirectingHosts = [],
    vars = {},
    serviceKeys = [],
    logListKeys = null,
    exportRecipients = [],
    resources,
  } = file
  if (!/^([0-9a-f]{32})?$/.test(accountId)) throw fault('accountId must be 32 hex characters, or empty')
  if (!/^(-[a-z0-9]+)*$/.test(suffix)) throw fault('suffix must be empty or like "-staging"')
  if (!Number.isSafeInteger(namespaceOffset) || namespaceOffset < 0)
    throw fault('namespaceOffset must be a whole number')
  const location = { ...ANYWHERE, ...file.location }
  const misplaced = locationFault(location)
  if (misplaced) throw fault(`location: ${misplaced}`)
  const all: string[] = []
  for (const worker of WORKER_NAMES) {
    const own: unknown = hosts?.[worker]
    if (!Array.isArray(own) || own.length === 0 || !own.every(isHost))
      throw fault(`hosts.${worker} must be a list of host names`)
    all.push(...own)
  }
  if (console) {
    if (!isHost(console.host)) throw fault('console.host must be a host name')
    if (typeof console.turnstileSiteKey !== 'string') throw fault('console.turnstileSiteKey must be a site key')
    all.push(console.host)
  }
  if (new Set(all).size !== all.length) throw fault('a host can belong to one service only')
  for (const host of redirectingHosts)
    if (!WORKER_NAMES.some((worker) => hosts?.[worker].slice(1).includes(host)))
      throw fault(`redirectingHosts: ${host} is not an alias of a service`)
  for (const [owner, own] of Object.entries(vars)) {
    if (owner !== 'all' && !isWorkerName(owner)) throw fault(`vars.${owner} does not name a Worker`)
    if ('JURISDICTION' in own) throw fault(`vars.${owner} has JURISDICTION; set location.jurisdiction instead`)
    if ('OBJECT_HINT' in own) throw fault(`vars.${owner} has OBJECT_HINT; set location.objectHint instead`)
    if ('REALMS' in own) requireRealms(owner, own['REALMS'], fault)
  }
  const keys = serviceKeysSchema.safeParse(serviceKeys)
  if (!keys.success) throw fault(`serviceKeys.${keys.error.issues[0]?.path.join('.')} is malformed`)
  const keyFault = keysFault(keys.data)
  if (keyFault !== null) throw fault(`serviceKeys: ${keyFault}`)
  const listKeys = listKeysSchema.nullable().safeParse(logListKeys)
  if (!listKeys.success) throw fault('logListKeys must have a threshold and distinct public keys')
  if (!Array.isArray(exportRecipients) || !exportRecipients.every(isRecipient))
    throw fault('exportRecipients must be post-quantum recipients of age, age1pq1…')
  return {
    name,
    path,
    accountId,
    suffix,
    namespaceOffset,
    hosts: hosts as Deployment['hosts'],
    console,
    redirectingHosts,
    vars,
    serviceKeys: keys.data,
    logListKeys: listKeys.data,
    location,
    exportRecipients,
    resources: { d1: resources?.d1 ?? {}, kv: resources?.kv ?? {} },
  }
}

/** All Workers get one list, or a statement that one of them signs would be refused by another. */
function requireRealms(owner: string, realms: Json | undefined, fault: (what: string) => Error): void {
  if (owner !== 'all') throw fault(`vars.${owner} has REALMS; all Workers need the same, so set it in vars.all`)
  if (!realmsSchema.safeParse(realms).success)
    throw fault('vars.all.REALMS must be a list of origins like https://core.example.com, each once')
}

/** Writes the ids or the keys. A crash leaves either the old file or the new one. */
export function writeDeployment(
  deployment: Deployment,
  changed: Partial<Pick<Deployment, 'resources' | 'serviceKeys' | 'logListKeys'>>,
): Deployment {
  const file = JSON.parse(readFileSync(deployment.path, 'utf8')) as object
  const unfinished = `${deployment.path}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify({ ...file, ...changed }, null, 2)}\n`)
  renameSync(unfinished, deployment.path)
  return { ...deployment, ...changed }
}

function isHost(host: unknown): host is string {
  return typeof host === 'string' && /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/.test(host)
}
