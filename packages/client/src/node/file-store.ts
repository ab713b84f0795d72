import { mkdir, open, readFile, rm, stat, utimes } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { hashHexAsync } from '#protocol/base/hash'
import { pure } from '#protocol/base/pure'
import { checkCall } from '../arguments/check.ts'
import { type TrustStore, Turns } from '../memory/trust-store.ts'
import { jsonIn } from '../verification/read-content.ts'
import { unverified } from '../verification/verification-error.ts'
import { replaceFile } from './replace-file.ts'

/** A lock that was not touched for so long belongs to a program that ended. */
const STALE_MS = 10_000
const TOUCH_MS = 2_000
const POLL_MS = 25

const entriesSchema = /* @__PURE__ */ pure(() => z.array(z.tuple([z.string(), z.unknown()])))

/**
 * A trust store in one JSON file, for programs. Each change rewrites the file, so it suits hundreds of logs and not tens
 * of thousands. Programs on one machine can share it; a file system without exclusive creation and renames, such as some
 * network mounts, cannot.
 */
export class FileStore implements TrustStore {
  readonly #path: string
  readonly #turns = new Turns()

  /** The file is created with mode 0600, and its folder if it is missing. One file per deployment. */
  constructor(path: string) {
    checkCall('new FileStore', [path], ['path'])
    this.#path = path
  }

  async get(key: string): Promise<unknown> {
    checkCall('fileStore.get', [key], ['key'])
    return (await this.#read()).get(key)
  }

  async set(key: string, value: unknown): Promise<void> {
    checkCall('fileStore.set', [key, value], ['key', 'value'])
    return this.#change((values) => {
      values.delete(key)
      values.set(key, value)
    })
  }

  async delete(key: string): Promise<void> {
    checkCall('fileStore.delete', [key], ['key'])
    return this.#change((values) => values.delete(key))
  }

  async keys(): Promise<readonly string[]> {
    return [...(await this.#read()).keys()]
  }

  async entries(prefix: string): Promise<readonly (readonly [string, unknown])[]> {
    checkCall('fileStore.entries', [prefix], ['prefix'])
    return [...(await this.#read())].filter(([key]) => key.startsWith(prefix))
  }

  async exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
    checkCall('fileStore.exclusively', [name, work], ['name', 'work'])
    return this.#turns.take(name, async () => {
      const id = await hashHexAsync(new TextEncoder().encode(name))
      return locked(`${this.#path}.${id.slice(0, 16)}.lock`, work)
    })
  }

  /** In the order of the last `set`. */
  async #read(): Promise<Map<string, unknown>> {
    const bytes = await readFile(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (bytes === null) return new Map()
    const entries = entriesOf(bytes)
    if (entries) return new Map(entries)
    throw unverified('memory', 'malformed', `${this.#path} is not a trust store: restore it, or begin again without it`)
  }

  #change(change: (values: Map<string, unknown>) => void): Promise<void> {
    return this.exclusively('', async () => {
      const values = await this.#read()
      change(values)
      await replaceFile(this.#path, JSON.stringify([...values]))
    })
  }
}

/** Null for a file with something else in it. */
function entriesOf(bytes: Uint8Array): readonly (readonly [string, unknown])[] | null {
  const { data } = entriesSchema.safeParse(jsonIn(bytes))
  return data ?? null
}

async function locked<T>(path: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  while (!(await created(path))) {
    if (await isStale(path)) await rm(path, { force: true })
    else await sleep(POLL_MS)
  }
  const touching = setInterval(() => {
    const now = new Date()
    utimes(path, now, now).catch(() => null)
  }, TOUCH_MS)
  try {
    return await work()
  } finally {
    clearInterval(touching)
    await rm(path, { force: true })
  }
}

async function created(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function isStale(path: string): Promise<boolean> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
  return Date.now() - mtimeMs > STALE_MS
}
