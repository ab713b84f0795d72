import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { RECORD_DELAY_MS, type RebuildOptions, RecordFiles } from '@svc/objects/records'
import { recordPlaceOf } from '@svc/service'
import { deviceOf, type TestCaller } from '@svc/testing'
import { vi } from 'vitest'
import { call, freshAddress, freshCaller, send } from '../harness.ts'

export type Stub = ReturnType<typeof objectOf>

export const objectOf = (did: string) => env.IDENTITIES.getByName(did)
export const PREFIX = 'identities/'

const SECRET = new TextEncoder().encode('what nobody but the owner may read')

export const headOf = ({ identity }: TestCaller) =>
  call({ identity, address: freshAddress() }, 'GET', '/api/chain/head')

/** A chain with a payload, a hold, devices, events and an anchor. */
export async function busyCaller(): Promise<TestCaller> {
  const caller = await freshCaller()
  await caller.client.chain.append({ payload: SECRET, contentType: 'a/a' })
  await deviceOf(caller, { fetch: send, capabilities: [] })
  await caller.client.anchors.submit({ root: 'ab'.repeat(48), epoch: 'e' })
  await caller.client.security.placeHold()
  await caller.client.security.liftHold()
  return caller
}

export function files(): RecordFiles {
  const place = recordPlaceOf(env, 'identities')
  if (!place) throw new Error('these tests run with records')
  return new RecordFiles(place)
}

/** Rows of every table that is recorded, as text; nonces, the index of blocks and what the recorder keeps are not. */
export function stateOf(object: Stub): Promise<string> {
  return runInDurableObject(object, (_, { storage: { sql } }) => {
    const tables = sql
      .exec<{ name: string }>(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' ORDER BY name",
      )
      .toArray()
      .map(({ name }) => name)
      .filter((name) => !/^nonces_|^block_index$|^event_tickets$|^sqlite_/.test(name))
    const own = "WHERE name NOT IN ('records', 'noncesForgotten', 'noncesFrom', 'rebuild')"
    return JSON.stringify(
      tables.map((table) => [table, sql.exec(`SELECT * FROM "${table}" ${table === 'facts' ? own : ''}`).toArray()]),
      (_key, value: unknown) => (value instanceof ArrayBuffer ? [...new Uint8Array(value)] : value),
      1,
    )
  })
}

/** Lets the open window pass, and runs the alarm that records it. */
export async function record(object: Stub): Promise<void> {
  const now = Date.now() + RECORD_DELAY_MS
  vi.useFakeTimers({ toFake: ['Date'], now })
  await runDurableObjectAlarm(object)
}

/** As if the namespace were lost. */
export async function lose(object: Stub): Promise<void> {
  await runInDurableObject(object, (_, { storage }) => storage.deleteAll())
  await evictDurableObject(object)
}

export function rebuild(object: Stub, options: Partial<RebuildOptions> = {}) {
  return object.rebuildFromRecords({ replaces: false, lostAt: Date.now() - 600_000, ...options })
}

export async function keysOf(did: string): Promise<string[]> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(did)))
  const folder = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return (await keys()).filter((key) => key.startsWith(`${PREFIX}${folder}/`))
}

export const keys = async () => (await env.RECORDS.list({ prefix: PREFIX })).objects.map(({ key }) => key).toSorted()

interface Progress {
  readonly sequence: number
  readonly base: number
  readonly pending: { readonly attempt: string | null; readonly since: number } | null
}

export function progressOf(object: Stub): Promise<Progress> {
  return runInDurableObject(object, ({ stored }) => stored.facts.get<Progress>('records') as Progress)
}

/** Puts the fact back, as a crash or a restore to an earlier time leaves it. */
export async function putProgress(object: Stub, progress: Progress): Promise<void> {
  await runInDurableObject(object, ({ stored }) => stored.facts.put('records', progress))
  await evictDurableObject(object)
}
