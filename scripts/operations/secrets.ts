import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, SetupError, type WorkerName } from '../lib/workspace.ts'
import type { RawConfig } from './worker-deployment.ts'

export const INTERNAL = 'SVC_INTERNAL_SECRET'
export const PREVIOUS = 'SVC_INTERNAL_SECRET_PREVIOUS'

/** Secrets that a Worker takes and can do without. The committed configuration declares only those that it needs. */
const OPTIONAL: Partial<Record<WorkerName, readonly string[]>> = {
  core: ['TURNSTILE_SECRET', 'PINNING_TOKEN'],
  auth: ['TURNSTILE_SECRET', 'GOOGLE_CLIENT_SECRET', 'MICROSOFT_CLIENT_SECRET'],
}

/** Beside the environments and never committed. */
export function defaultSecretsPath(deployment: string): string {
  return join(ROOT, 'deployments/.secrets', `${deployment}.json`)
}

/** `made`: random, made here. `given`: from another company; the operator has it or not. */
export function kindOf(name: string): 'made' | 'given' {
  return name === INTERNAL || name.endsWith('_SEED') ? 'made' : 'given'
}

export function secretNamesOf(worker: WorkerName, { secrets }: RawConfig): string[] {
  return [...new Set([...(secrets?.required ?? []), ...(OPTIONAL[worker] ?? [])])]
}

/**
 * The secrets of one environment, in a file that only its owner reads. Cloudflare never gives a secret back, and some
 * cannot be replaced (a password hangs on OPAQUE_SERVER_SEED for good), so this file is what has to be kept safe.
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
      // Said below. A parser's message would quote what it read.
    }
    throw new SetupError(`${path} is not a JSON object of texts.`)
  }

  get(name: string): string | undefined {
    return this.#values[name]
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#values, name)
  }

  /** Never replaces one that is there. */
  make(name: string): void {
    if (this.has(name)) return
    const bytes = randomBytes(32)
    this.#values[name] = name === INTERNAL ? bytes.toString('base64url') : bytes.toString('hex')
    this.#write()
  }

  /** Another internal secret; the one in force becomes the previous one. */
  changeInternal(): void {
    const inForce = this.#values[INTERNAL]
    if (inForce === undefined) throw new SetupError(`${this.path} has no ${INTERNAL} that could be changed.`)
    if (this.has(PREVIOUS)) return
    Object.assign(this.#values, { [PREVIOUS]: inForce, [INTERNAL]: randomBytes(32).toString('base64url') })
    this.#write()
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
