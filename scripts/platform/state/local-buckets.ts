import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Miniflare } from 'miniflare'
import { readAllWorkerConfigs } from '../worker-config.ts'
import { type Claim, claimStateDir } from './state-dir.ts'

type R2 = Awaited<ReturnType<Miniflare['getR2Bucket']>>

/** The buckets in the state folder of a platform that is stopped, in the same runtime as the platform has. */
export class LocalBuckets {
  readonly names: readonly string[]
  readonly #miniflare: Miniflare
  readonly #claim: Claim

  private constructor(names: readonly string[], miniflare: Miniflare, claim: Claim) {
    this.names = names
    this.#miniflare = miniflare
    this.#claim = claim
  }

  /** Throws if a platform runs on this folder. */
  static async open(stateDir: string): Promise<LocalBuckets> {
    const claim = await claimStateDir(stateDir)
    const names = readAllWorkerConfigs().flatMap(({ buckets }) => buckets)
    const { convertV4MiniflareOptions, Miniflare } = await import('miniflare')
    const miniflare = new Miniflare(
      convertV4MiniflareOptions({
        modules: true,
        script: 'export default {}',
        telemetry: { enabled: false },
        resourcePersistencePath: join(stateDir, 'v3'),
        r2Buckets: Object.fromEntries(names.map((name) => [name, name])),
      }),
    )
    return new LocalBuckets(names.toSorted(), miniflare, claim)
  }

  async close(): Promise<void> {
    await this.#miniflare.dispose()
    this.#claim.release()
  }

  async keys(bucket: string, prefix = ''): Promise<string[]> {
    const found: string[] = []
    const opened = await this.#bucket(bucket)
    for (let cursor: string | undefined; ; ) {
      const page = await opened.list({ prefix, ...(cursor === undefined ? {} : { cursor }) })
      found.push(...page.objects.map(({ key }) => key))
      if (!page.truncated) return found
      cursor = page.cursor
    }
  }

  /** Returns how many there were. */
  async delete(bucket: string, prefix = ''): Promise<number> {
    const keys = await this.keys(bucket, prefix)
    const opened = await this.#bucket(bucket)
    for (const key of keys) await opened.delete(key)
    return keys.length
  }

  /** Copies everything of a bucket, as `rclone copy` does into another bucket. */
  async copyTo(bucket: string, folder: string): Promise<void> {
    const opened = await this.#bucket(bucket)
    for (const key of await this.keys(bucket)) {
      const object = await opened.get(key)
      if (object) writeCopy(folder, key, new Uint8Array(await object.arrayBuffer()))
    }
  }

  /** Copies back what the bucket lacks, and what differs. Returns how many objects that were. */
  async copyFrom(bucket: string, folder: string): Promise<number> {
    const opened = await this.#bucket(bucket)
    let copied = 0
    for (const [key, bytes] of copiesIn(folder)) {
      const there = await opened.get(key)
      if (there && Buffer.compare(new Uint8Array(await there.arrayBuffer()), bytes) === 0) continue
      await opened.put(key, bytes)
      copied += 1
    }
    return copied
  }

  #bucket(name: string): Promise<R2> {
    return this.#miniflare.getR2Bucket(name)
  }
}

const indexOf = (folder: string) => join(folder, 'keys')

/** Under the hash of its key: a key can be the beginning of another one, which a file cannot. */
const fileOf = (folder: string, key: string) => join(folder, createHash('sha256').update(key).digest('hex'))

function writeCopy(folder: string, key: string, bytes: Uint8Array): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(fileOf(folder, key), bytes)
  writeFileSync(indexOf(folder), `${key}\n`, { flag: 'a' })
}

function copiesIn(folder: string): [string, Uint8Array][] {
  const keys = readFileSync(indexOf(folder), 'utf8').split('\n').slice(0, -1)
  return keys.map((key) => [key, readFileSync(fileOf(folder, key))])
}
