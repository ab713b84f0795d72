import { listDurableObjectIds, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { bucketOf } from '@svc/protocol/base/buckets'
import { vi } from 'vitest'
import type { CapsuleBucketObject } from '../../src/capsules/bucket/object.ts'

type Around = (method: string, work: () => Promise<unknown>, values: readonly unknown[]) => Promise<unknown>

/** The real objects of a binding with something done around their methods. */
export function objectsAround<B extends 'CAPSULE_BUCKETS' | 'CAPSULE_OWNERS'>(binding: B, around: Around) {
  const getByName = (name: string) => {
    const stub = env[binding].getByName(name)
    const methods = stub as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>
    return new Proxy(stub, {
      get:
        (_, method: string) =>
        (...values: unknown[]) =>
          around(method, async () => methods[method]?.(...values), values),
    })
  }
  return { [binding]: { getByName } } as unknown as Pick<Env, B>
}

export const bucketsAround = (around: Around) => objectsAround('CAPSULE_BUCKETS', around)

const gone = () => Promise.reject(new Error('gone'))

/** A bucket that cannot be reached for one method, or whose answer to it is lost. */
export const bucketsLosing = (lost: string, when: 'before' | 'after') =>
  bucketsAround(async (method, work) => {
    if (method !== lost) return work()
    if (when === 'after') await work()
    return gone()
  })

export const bucketOfAsset = (assetId: string) => env.CAPSULE_BUCKETS.getByName(`capsules-${bucketOf(assetId)}`)

type Table = 'capsules' | 'loose' | 'untold' | 'vector_removals'

/** Rows of a table of one bucket, as they are stored. */
export function rowsOf(stub: DurableObjectStub, table: Table): Promise<Record<string, SqlStorageValue>[]> {
  return runInDurableObject(stub, (_, { storage }) => {
    const isThere = storage.sql.exec('SELECT 1 FROM sqlite_master WHERE name = ?', table).toArray().length > 0
    return isThere ? storage.sql.exec(`SELECT * FROM ${table}`).toArray() : []
  })
}

export async function allRowsOf(table: Table): Promise<Record<string, SqlStorageValue>[]> {
  const ids = await listDurableObjectIds(env.CAPSULE_BUCKETS)
  return (await Promise.all(ids.map((id) => rowsOf(env.CAPSULE_BUCKETS.get(id), table)))).flat()
}

/** The key of the only registration of an asset. */
export async function bodyKeyOf(assetId: string): Promise<string> {
  const rows = await rowsOf(bucketOfAsset(assetId), 'capsules')
  return rows.find(({ asset_id }) => asset_id === assetId)?.['body_key'] as string
}

/** Something that happens at some time. */
export async function atTime<T>(time: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: time })
  try {
    return await work()
  } finally {
    vi.useRealTimers()
  }
}

/** The alarms of all buckets, as they would go off at some time. */
export async function alarmsAt(time: number): Promise<void> {
  await atTime(time, async () => {
    for (const id of await listDurableObjectIds(env.CAPSULE_BUCKETS)) {
      await runDurableObjectAlarm(env.CAPSULE_BUCKETS.get(id))
    }
  })
}

/** Something that a bucket does as one that has just started, with other bindings. */
export function bucketWith<T>(
  assetId: string,
  replaced: object,
  work: (bucket: CapsuleBucketObject) => T | Promise<T>,
): Promise<T> {
  return runInDurableObject(bucketOfAsset(assetId), async (instance, state) => {
    const Bucket = instance.constructor as new (state: DurableObjectState, bindings: object) => typeof instance
    return work(new Bucket(state, { ...env, ...replaced }))
  })
}
