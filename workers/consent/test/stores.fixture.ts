import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { consentBucketOf } from '@svc/protocol/consent/buckets'
import { identifierHash } from '@svc/protocol/consent/identifiers'
import { STORE_NAMES, storeOf } from '../src/store/names.ts'
import type { ConsentStoreObject } from '../src/store/object.ts'

type Value = SqlStorageValue

/** The store of a bucket. */
export const storeAt = (bucket: number) => env.CONSENT_STORES.getByName(storeOf(bucket))
/** The store of an identifier. */
export const storeFor = (hash: string) => storeAt(consentBucketOf(hash))

/** Rows of an object, straight from its storage. */
export function rowsIn(object: DurableObjectStub, sql: string, ...values: Value[]): Promise<Record<string, Value>[]> {
  return runInDurableObject(object, (_, { storage }) => storage.sql.exec(sql, ...values).toArray())
}

/** A statement about one record; the hash of its identifier is the only parameter. Nothing while the store has no tables. */
export const inStoreOf = (hash: string, sql: string) =>
  runInDurableObject(storeFor(hash), ({ stored }: ConsentStoreObject) =>
    stored.exists ? stored.sql.exec<Record<string, Value>>(sql, identifierHash(hash)).toArray() : [],
  )

/** Rows of a table in all stores; 0 while a store has no tables. */
export async function countRows(table: string): Promise<number> {
  const counts = await Promise.all(
    STORE_NAMES.map((name) =>
      runInDurableObject(env.CONSENT_STORES.getByName(name), (store: ConsentStoreObject, { storage }) =>
        store.stored.exists ? storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n : 0,
      ),
    ),
  )
  return counts.reduce((sum, n) => sum + n, 0)
}

/** Objects of a class with some methods replaced: each gets the real object and the arguments. */
export function objectsWith(
  namespace: object,
  methods: Readonly<
    Record<string, (real: Record<string, (...args: unknown[]) => Promise<unknown>>, ...args: unknown[]) => unknown>
  >,
): object {
  return {
    getByName: (name: string) => {
      const real = (namespace as DurableObjectNamespace).getByName(name) as unknown as Record<
        string,
        (...args: unknown[]) => Promise<unknown>
      >
      return new Proxy(real, {
        get: (_, method: string) => {
          const replaced = methods[method] ?? methods['*']
          return (...args: unknown[]) => (replaced ? replaced(real, ...args) : real[method]?.(...args))
        },
      })
    },
  }
}

const down = () => Promise.reject(new Error('canary: the object is down'))
/** While no store can be reached. */
export const NO_STORES = { CONSENT_STORES: objectsWith(env.CONSENT_STORES, { '*': down }) }
/** While no list of a creator can be reached. */
export const NO_CREATORS = { CONSENT_CREATORS: objectsWith(env.CONSENT_CREATORS, { '*': down }) }
/** While stores can be read and keep no claim. */
export const NO_CLAIMS = { CONSENT_STORES: objectsWith(env.CONSENT_STORES, { keepClaim: down }) }
