import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { LedgerObject } from './main.ts'

export const OBJECTS = (env as unknown as { OBJECTS: DurableObjectNamespace<LedgerObject> }).OBJECTS

/** An object that no other test has. */
export const fresh = () => OBJECTS.getByName(crypto.randomUUID())
export type Ledger = ReturnType<typeof fresh>

export function inStorage<R>(ledger: Ledger, work: (storage: DurableObjectStorage) => R): Promise<R> {
  return runInDurableObject(ledger, (_, { storage }) => work(storage))
}

export const rowsOf = (ledger: Ledger, query: string) => inStorage(ledger, ({ sql }) => sql.exec(query).toArray())
export const tablesOf = async (ledger: Ledger) =>
  (
    await rowsOf(ledger, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name")
  ).map(({ name }) => name)
