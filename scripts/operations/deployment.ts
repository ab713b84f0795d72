/**
 * One environment that the platform is deployed to: the file `deployments/<name>.json`. It holds what differs from the
 * committed configuration of the Workers, and the ids that Cloudflare has given to what was made there. No secrets.
 *
 * @module
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isWorkerName, ROOT, SetupError, WORKER_NAMES, type WorkerName } from '../lib/workspace.ts'

export const DEPLOYMENTS = join(ROOT, 'deployments')

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }
export type Vars = Readonly<Record<string, Json>>

export interface Deployment {
  /** `staging`, `production`: the label that the services report as `environment`. */
  readonly name: string
  readonly path: string
  /** Empty: CLOUDFLARE_ACCOUNT_ID says it. */
  readonly accountId: string
  /** After the name of everything that is made, so that two environments share an account. */
  readonly suffix: string
  /** Added to the ids of rate-limit namespaces: equal ids share their counters within one account. */
  readonly namespaceOffset: number
  /** The first host is canonical, the others are aliases. */
  readonly hosts: Readonly<Record<WorkerName, readonly string[]>>
  /** Those of the aliases whose reads are answered with a redirect to the canonical host. */
  readonly redirectingHosts: readonly string[]
  /** What replaces a variable of every Worker that has it, or of one; null takes it away. */
  readonly vars: Readonly<Partial<Record<'all' | WorkerName, Vars>>>
  readonly resources: Resources
}

export interface Resources {
  /** Database name to id. */
  readonly d1: Readonly<Record<string, string>>
  /** Namespace title to id. */
  readonly kv: Readonly<Record<string, string>>
}

export function deploymentNames(folder = DEPLOYMENTS): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))
    .toSorted()
}

export function readDeployment(name: string, folder = DEPLOYMENTS): Deployment {
  const path = join(folder, `${name}.json`)
  if (!/^[a-z][a-z0-9-]*$/.test(name) || !existsSync(path))
    throw new SetupError(
      `There is no environment '${name}': ${deploymentNames(folder).join(', ') || 'none'} are there.`,
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
  const { accountId = '', suffix = '', namespaceOffset = 0, hosts, redirectingHosts = [], vars = {}, resources } = file
  if (!/^([0-9a-f]{32})?$/.test(accountId)) throw fault('accountId is 32 hex characters, or empty')
  if (!/^(-[a-z0-9]+)*$/.test(suffix)) throw fault('suffix is empty or like "-staging"')
  if (!Number.isSafeInteger(namespaceOffset) || namespaceOffset < 0) throw fault('namespaceOffset is a whole number')
  const all: string[] = []
  for (const worker of WORKER_NAMES) {
    const own: unknown = hosts?.[worker]
    if (!Array.isArray(own) || own.length === 0 || !own.every(isHost))
      throw fault(`hosts.${worker} is a list of host names`)
    all.push(...own)
  }
  if (new Set(all).size !== all.length) throw fault('a host names one service')
  for (const host of redirectingHosts)
    if (!WORKER_NAMES.some((worker) => hosts?.[worker].slice(1).includes(host)))
      throw fault(`redirectingHosts: ${host} is not an alias of a service`)
  for (const owner of Object.keys(vars))
    if (owner !== 'all' && !isWorkerName(owner)) throw fault(`vars.${owner} is no Worker`)
  return {
    name,
    path,
    accountId,
    suffix,
    namespaceOffset,
    hosts: hosts as Deployment['hosts'],
    redirectingHosts,
    vars,
    resources: { d1: resources?.d1 ?? {}, kv: resources?.kv ?? {} },
  }
}

/** Keeps the ids; a crash leaves the file as it was or as it is to be. */
export function writeResources(deployment: Deployment, resources: Resources): Deployment {
  const file = JSON.parse(readFileSync(deployment.path, 'utf8')) as object
  const unfinished = `${deployment.path}.${process.pid}`
  writeFileSync(unfinished, `${JSON.stringify({ ...file, resources }, null, 2)}\n`)
  renameSync(unfinished, deployment.path)
  return { ...deployment, resources }
}

function isHost(host: unknown): host is string {
  return typeof host === 'string' && /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,}$/.test(host)
}
