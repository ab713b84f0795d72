import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { LedgerObject, ShopObject } from './main.ts'

interface Bindings {
  readonly OBJECTS: DurableObjectNamespace<LedgerObject>
  readonly SHOPS: DurableObjectNamespace<ShopObject>
}
export const { OBJECTS, SHOPS } = env as unknown as Bindings

/** An object that no other test has. */
export const fresh = () => OBJECTS.getByName(crypto.randomUUID())
export type Ledger = ReturnType<typeof fresh>

export const freshShop = () => SHOPS.getByName(crypto.randomUUID())
export type Shop = ReturnType<typeof freshShop>

export function inStorage<R>(object: Ledger | Shop, work: (storage: DurableObjectStorage) => R): Promise<R> {
  return runInDurableObject(object as Ledger, (_, { storage }) => work(storage))
}

export const rowsOf = (ledger: Ledger | Shop, query: string) =>
  inStorage(ledger, ({ sql }) => sql.exec(query).toArray())
export const tablesOf = async (ledger: Ledger | Shop) =>
  (
    await rowsOf(ledger, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name")
  ).map(({ name }) => name)
