import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, SetupError, type WorkerName } from '@svc/platform/workspace'
import { SERVICE_KEY_USES } from '@svc/protocol/http/service-keys'
import type { RawConfig } from './worker-deployment.ts'

export const INTERNAL = 'SVC_INTERNAL_SECRET'
export const INVITES = 'INVITE_SEED'
/** Secrets that are changed by keeping the one before for a while. */
export type ChangedSecret = typeof INTERNAL | typeof INVITES

/** The name under which the one before is kept. */
export function previousOf(name: ChangedSecret): string {
  return `${name}_PREVIOUS`
}

/** Optional secrets of Workers besides the seeds of announced keys. The committed configuration declares the required ones. */
const OPTIONAL: Partial<Record<WorkerName, readonly string[]>> = {
  core: ['TURNSTILE_SECRET', 'PINNING_TOKEN'],
  keys: ['TURNSTILE_SECRET'],
  auth: ['TURNSTILE_SECRET', 'GOOGLE_CLIENT_SECRET', 'MICROSOFT_CLIENT_SECRET'],
}

/** Beside the environments' files, and never committed. */
export function defaultSecretsPath(deployment: string): string {
  return join(ROOT, 'deployments/.secrets', `${deployment}.json`)
}

/** The secret with the seed of the key that is announced as the next one. */
export function nextSeedName(seed: string): string {
  return `${seed}_NEXT`
}

/** `made`: generated here at random. `given`: issued by a third party; the operator may have it or not. */
export function kindOf(name: string): 'made' | 'given' {
  return name === INTERNAL || name.endsWith('_SEED') ? 'made' : 'given'
}

/** Seeds that have versions: a later one has the number behind its name, and stays beside the first. */
const VERSIONED = [
  'ANCHOR_LOG_SEED',
  'DIRECTORY_LOG_SEED',
  'CODES_SEED',
  'CLAIMANTS_SEED',
  'RECORDS_SEED',
  'OPAQUE_SERVER_SEED',
]
/** One per Worker, so that no Worker can read or forge the data of another. */
const OWN = /^RECORDS_SEED(?:_\d+)?$/

/** The name of a Worker's secret in the file: one of its own has that of the Worker before it. */
export function keptNameOf(worker: WorkerName, name: string): string {
  return OWN.test(name) ? `${worker}.${name}` : name
}

/** The secrets of a Worker, with those later versions that are kept. */
export function secretNamesOf(worker: WorkerName, { secrets }: RawConfig, kept?: SecretsFile): string[] {
  const announced = SERVICE_KEY_USES.filter(({ service }) => service === worker).map(({ seed }) => nextSeedName(seed))
  const required = secrets?.required ?? []
  const later = required.filter((name) => VERSIONED.includes(name)).flatMap((name) => kept?.laterOf(worker, name) ?? [])
  return [...new Set([...required, ...later, ...(OPTIONAL[worker] ?? []), ...announced])]
}

function madeSecret(name: string): string {
  return randomBytes(32).toString(name === INTERNAL ? 'base64url' : 'hex')
}

/**
 * The secrets of one environment, in a file that only its owner can read. Keep it safe: Cloudflare never returns a
 * secret, and what was made with a seed needs that seed (every password needs its version of OPAQUE_SERVER_SEED).
 */
export class SecretsFile {
  readonly path: string
  readonly #values: Record<string, string>

  private constructor(path: string, values: Record<string, string>) {
    this.path = path
    this.#values = values
  }

  static read(path: string): SecretsFile {
    if (!existsSync(path)) return new SecretsFile(path, {})
    if ((statSync(path).mode & 0o077) !== 0) throw new SetupError(`${path} can be read by others: chmod 600 it.`)
    try {
      const values = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
      if (Object.values(values).every((value) => typeof value === 'string' && value !== ''))
        return new SecretsFile(path, values as Record<string, string>)
    } catch {
      // Reported below, because the parser's message would quote the content.
    }
    throw new SetupError(`${path} is not a JSON object of strings.`)
  }

  get(name: string): string | undefined {
    return this.#values[name]
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name)
  }

  /** The names of its later versions, as the Worker has them. */
  laterOf(worker: WorkerName, seed: string): string[] {
    const first = keptNameOf(worker, seed)
    return Object.keys(this.#values)
      .filter((name) => name.startsWith(`${first}_`) && /^(?:[2-9]|[1-9][0-9])$/.test(name.slice(first.length + 1)))
      .map((name) => seed + name.slice(first.length))
  }

  /** Rejects a file that shares a seed between Workers if each needs its own. */
  requireOwn(): void {
    const own = Object.entries(this.#values).filter(([name]) => OWN.test(name.slice(name.indexOf('.') + 1)))
    const shared = own.find(([name]) => !name.includes('.'))
    if (shared)
      throw new SetupError(
        `${this.path} has ${shared[0]} for all Workers: each has its own, such as ${keptNameOf('core', shared[0])}. Remove it, and scripts/provision makes them.`,
      )
    for (const [index, [name, value]] of own.entries()) {
      const workerOf = (kept: string) => kept.slice(0, kept.indexOf('.'))
      const same = own.slice(0, index).find(([kept, other]) => other === value && workerOf(kept) !== workerOf(name))
      if (same)
        throw new SetupError(
          `${this.path} has the same seed as ${same[0]} and as ${name}: a Worker could read and forge the records of another. Give ${name} another one.`,
        )
    }
  }

  /** Never replaces an existing secret. */
  make(name: string): void {
    if (this.has(name)) return
    this.#values[name] = madeSecret(name)
    this.#write()
  }

  /** Generates a new secret; the current one becomes the previous one. */
  change(name: ChangedSecret): void {
    const inForce = this.#values[name]
    if (inForce === undefined) throw new SetupError(`${this.path} has no ${name} to change.`)
    if (this.has(previousOf(name))) return
    Object.assign(this.#values, { [previousOf(name)]: inForce, [name]: madeSecret(name) })
    this.#write()
  }

  /** The announced key becomes the current one. Its seed was kept until now beside the one that it replaces. */
  promote(seed: string): void {
    const next = this.#values[nextSeedName(seed)]
    if (next === undefined) throw new SetupError(`${this.path} has no ${nextSeedName(seed)}.`)
    this.#values[seed] = next
    this.forget(nextSeedName(seed))
  }

  forget(name: string): void {
    delete this.#values[name]
    this.#write()
  }

  #write(): void {
    mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 })
    const unfinished = `${this.path}.${process.pid}`
    writeFileSync(unfinished, `${JSON.stringify(this.#values, null, 2)}\n`, { mode: 0o600 })
    renameSync(unfinished, this.path)
    chmodSync(this.path, 0o600)
  }
}
