import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { toHex } from '@svc/protocol/base/hash'
import { entryHash } from '@svc/protocol/merkle/entries'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import { LogFiles } from '../src/files.ts'
import type { SubmittedLeaf } from '../src/store.ts'
import { TestLogObject } from './main.ts'

const { LOGS, TILES } = env as unknown as { LOGS: DurableObjectNamespace<TestLogObject>; TILES: R2Bucket }

export const leaf = (name: string | number): SubmittedLeaf => ({
  leafId: String(name),
  entry: JSON.stringify({ leaf: String(name) }),
})
export const leaves = (from: number, count: number): SubmittedLeaf[] =>
  Array.from({ length: count }, (_, i) => leaf(from + i))

/** The leaves of a log's lines by name. */
export const namesOf = (lines: readonly string[]): string[] =>
  lines.map((line) => (JSON.parse(line) as { leaf?: string }).leaf ?? 'open')

interface SavedHead {
  readonly batch: number
  readonly size: number
  readonly root: string
  readonly edge: string
  readonly tail: string
}

/** One log with its object and its files. */
export class TestLog {
  readonly name: string
  readonly object: DurableObjectStub<TestLogObject>
  readonly files: LogFiles

  /** By default the first of a series of its own. */
  constructor(name = `https://core.test/${crypto.randomUUID()}/first`) {
    this.name = name
    this.object = LOGS.getByName(name)
    this.files = new LogFiles(TILES, name)
  }

  /** The log that may go on where this one ends. */
  next(): TestLog {
    return new TestLog(this.name.replace('/first', '/next'))
  }

  submit(some: readonly SubmittedLeaf[], sentAt = Date.now()) {
    return this.object.submit(sentAt, some)
  }

  /** The places of leaves; throws if they are refused. */
  async placed(some: readonly SubmittedLeaf[]): Promise<number[]> {
    const answer = await this.submit(some)
    if (!answer.ok) throw new Error(answer.error.reason)
    return answer.value.map(({ index }) => index)
  }

  /** The lines of the log in R2, in order. Throws if they do not make its root. */
  async lines(): Promise<string[]> {
    const { size, root } = await this.object.head()
    const bundles = Array.from({ length: Math.ceil(size / 256) }, (_, i) => this.files.bundle(i, size))
    const lines = (await Promise.all(bundles)).flat()
    const computed = toHex(merkleRoot(lines.map(entryHash)))
    if (lines.length !== size || computed !== root) throw new Error(`the files of ${size} leaves do not make the root`)
    return lines
  }

  /** The checkpoints of all heads, as they were decided. */
  async decided(): Promise<{ size: number; root: string }[]> {
    const found: { size: number; root: string }[] = []
    for (let batch = 1; ; batch++) {
      const head = await this.files.head(batch)
      if (!head) return found
      found.push({ size: head.checkpoint.statement.size, root: head.checkpoint.statement.root })
    }
  }

  /** Another object over the same storage, as after a restart, with other bindings. */
  restarted<T>(
    parts: {
      readonly bucket?: R2Bucket
      readonly now?: () => number
      readonly log?: string
      readonly isKnown?: (leafId: string) => Promise<boolean>
      readonly wait?: (ms: number) => Promise<unknown>
    },
    work: (object: TestLogObject) => Promise<T>,
  ): Promise<T> {
    return runInDurableObject(this.object, (_, state) =>
      work(
        new TestLogObject(
          state,
          { LOGS, TILES },
          parts.bucket ?? TILES,
          parts.now,
          parts.log,
          parts.isKnown,
          parts.wait,
        ),
      ),
    )
  }

  /** An object with the same files and a storage of its own: what a restore has left behind, or what it has not stopped. */
  twin<T>(work: (object: TestLogObject) => Promise<T>): Promise<T> {
    return runInDurableObject(LOGS.getByName(`twin of ${this.name}`), (_, state) =>
      work(new TestLogObject(state, { LOGS, TILES }, TILES, Date.now, this.name)),
    )
  }

  query<T>(sql: string): Promise<T[]> {
    return runInDurableObject(this.object, (_, { storage }) => storage.sql.exec(sql).toArray() as T[])
  }

  /** What a restore of this moment would bring back. */
  async saved(): Promise<SavedHead> {
    const [head] = await this.query<SavedHead>('SELECT batch, size, root, hex(edge) AS edge, tail FROM head')
    if (!head) throw new Error('the log has no head')
    return head
  }

  async restore({ batch, size, root, edge, tail }: SavedHead): Promise<void> {
    const periods = await this.query<{ period: number }>("SELECT period FROM periods WHERE state = 'open'")
    for (const { period } of periods) await this.query(`DELETE FROM taken_${period} WHERE idx >= ${size}`)
    await this.query(`DELETE FROM retired WHERE size >= ${size}`)
    await this.query(
      `UPDATE head SET batch = ${batch}, size = ${size}, root = '${root}', edge = x'${edge}', tail = '${tail}'`,
    )
  }

  alarm(): Promise<boolean> {
    return runDurableObjectAlarm(this.object)
  }

  async keys(): Promise<string[]> {
    const folders = ['logs', 'log-heads', 'log-edges'].map((folder) => `${folder}/${this.name}`)
    const lists = await Promise.all(folders.map((prefix) => TILES.list({ prefix, limit: 1_000 })))
    return lists.flatMap(({ objects }) => objects.map(({ key }) => key))
  }
}

type Put = R2Bucket['put']

/** The bucket with another way to write. */
function writingBy(put: (write: Put, ...args: Parameters<Put>) => Promise<unknown>): R2Bucket {
  return new Proxy(TILES, {
    get: (bucket, name) => {
      const member: unknown = Reflect.get(bucket, name)
      if (typeof member !== 'function') return member
      return name === 'put' ? (...args: Parameters<Put>) => put(bucket.put.bind(bucket), ...args) : member.bind(bucket)
    },
  })
}

/** A bucket that counts its writes. */
export function counted(): { readonly bucket: R2Bucket; readonly written: () => number } {
  let writes = 0
  const bucket = writingBy((write, ...args) => {
    writes++
    return write(...args)
  })
  return { bucket, written: () => writes }
}

/** A bucket that fails at its nth write: before the write is done, or after. */
export function failingAt(nth: number, when: 'before' | 'after'): R2Bucket {
  let writes = 0
  return writingBy(async (write, ...args) => {
    const isFailing = writes++ === nth
    if (isFailing && when === 'before') throw new Error('canary: R2 is down')
    const written = await write(...args)
    if (isFailing) throw new Error('canary: R2 is down')
    return written
  })
}

/** A bucket that holds its first write until it is told to fail. */
export function held(): { readonly bucket: R2Bucket; readonly isReached: Promise<void>; readonly fail: () => void } {
  const [reached, told] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isFirst = true
  const bucket = writingBy(async (write, ...args) => {
    if (!isFirst) return write(...args)
    isFirst = false
    reached.resolve()
    await told.promise
    throw new Error('canary: R2 is down')
  })
  return { bucket, isReached: reached.promise, fail: told.resolve }
}

/** A bucket that answers nothing. */
export function down(): R2Bucket {
  return new Proxy(TILES, { get: () => () => Promise.reject(new Error('canary: R2 is down')) })
}

/** A bucket with a lock on what a log never changes, which refuses before it looks at the condition of a write. */
export function locked(): { readonly bucket: R2Bucket; readonly refused: () => readonly string[] } {
  const refused: string[] = []
  const keepLocked = async (method: string, keys: readonly string[]) => {
    for (const key of keys)
      if (key.startsWith('logs/') && (await TILES.head(key)) !== null) {
        refused.push(`${method} ${key}`)
        throw new Error(`${method}: The object is locked by the bucket policy. (10069)`)
      }
  }
  const bucket = new Proxy(TILES, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...args: [string | string[], ...unknown[]]) => {
        if (name === 'put' || name === 'delete') await keepLocked(name, [args[0]].flat())
        return member.apply(target, args) as unknown
      }
    },
  })
  return { bucket, refused: () => refused }
}
