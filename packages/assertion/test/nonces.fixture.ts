import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { NonceObject } from './main.ts'

const objects = (env as unknown as { NONCES: DurableObjectNamespace<NonceObject> }).NONCES
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE

let signers = 0
/** An object not used by any other test, and the name of a signer. */
export function freshObject() {
  signers += 1
  const signer = signers.toString(16).padStart(96, '0')
  return { signer, nonces: objects.getByName(signer) }
}
export type Nonces = ReturnType<typeof freshObject>['nonces']

export const soon = () => Date.now() + MINUTE
export const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })
export const hourOf = (time: number) => Math.floor(time / HOUR)
export const endOf = (time: number) => (hourOf(time) + 1) * HOUR
export const tablesOf = (nonces: Nonces) =>
  runInDurableObject(nonces, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
      .toArray()
      .map(({ name }) => name),
  )
/** The hours that have a table, after the given time. */
export const hoursOf = async (nonces: Nonces, time: number) =>
  (await tablesOf(nonces)).flatMap((name) => (name.startsWith('nonces_') ? [Number(name.slice(7)) - hourOf(time)] : []))
export const namesOf = (nonces: Nonces) =>
  runInDurableObject(nonces, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB 'nonces_*'")
      .toArray()
      .flatMap(({ name: table }) => storage.sql.exec<{ name: ArrayBuffer }>(`SELECT name FROM ${table}`).toArray()),
  )
