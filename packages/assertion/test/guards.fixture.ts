import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import type { NonceGuard } from '../src/worker/index.ts'

export const guards = (env as unknown as { NONCES: DurableObjectNamespace<NonceGuard> }).NONCES
export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
/** How long after the end of its last hour a guard is deleted. */
export const GRACE = HOUR

let signers = 0
/** A guard not used by any other test, and the name of its signer. */
export function freshGuard() {
  signers += 1
  const signer = signers.toString(16).padStart(96, '0')
  return { signer, guard: guards.getByName(signer) }
}
export type Guard = ReturnType<typeof freshGuard>['guard']

export const soon = () => Date.now() + MINUTE
export const at = (time: number) => vi.useFakeTimers({ toFake: ['Date'], now: time })
export const hourOf = (time: number) => Math.floor(time / HOUR)
export const endOf = (time: number) => (hourOf(time) + 1) * HOUR
export const tablesOf = (guard: Guard) =>
  runInDurableObject(guard, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name")
      .toArray()
      .map(({ name }) => name),
  )
/** The hours that have a table, after the given time. */
export const hoursOf = async (guard: Guard, time: number) =>
  (await tablesOf(guard)).flatMap((name) => (name.startsWith('nonces_') ? [Number(name.slice(7)) - hourOf(time)] : []))
export const namesOf = (guard: Guard) =>
  runInDurableObject(guard, (_, { storage }) =>
    storage.sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE name GLOB 'nonces_*'")
      .toArray()
      .flatMap(({ name: table }) => storage.sql.exec<{ name: ArrayBuffer }>(`SELECT name FROM ${table}`).toArray()),
  )
export const alarmOf = (guard: Guard) => runInDurableObject(guard, (_, { storage }) => storage.getAlarm())
