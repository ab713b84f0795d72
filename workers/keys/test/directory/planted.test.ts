import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { RECORD_DELAY_MS, RecordFiles } from '@svc/objects/records'
import { jcs } from '@svc/protocol/base/jcs'
import { statementHash } from '@svc/protocol/base/statement'
import { EMPTY_HEAD, nextHead } from '@svc/protocol/keys/account-updates'
import { recordPlaceOf } from '@svc/service'
import { REALM, type TestCaller } from '@svc/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { mapped } from '../account-map/map.fixture.ts'
import { caller } from '../harness.ts'
import { accountOf, labelOf, logged } from '../transparency/log.fixture.ts'
import { credentialOf, publish, publishedDevice, revocationOf, revoke } from './directory.fixture.ts'

type Base = NonNullable<Awaited<ReturnType<ReturnType<typeof files>['read']>>>['record']
type Rows = Base['tables'][number]
type Row = Rows['rows'][number]

afterEach(() => {
  vi.restoreAllMocks()
})

function files(): RecordFiles {
  const place = recordPlaceOf(env, 'accounts')
  if (!place) throw new Error('these tests run with records')
  return new RecordFiles(place)
}

async function keysOf(name: string): Promise<string[]> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(name)))
  const folder = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return (await env.RECORDS.list({ prefix: `accounts/${folder}/` })).objects.map(({ key }) => key).toSorted()
}

const stateOf = (owner: TestCaller) =>
  runInDurableObject(accountOf(owner), (_, { storage: { sql } }) =>
    JSON.stringify(
      ['devices', 'packages', 'updates'].map((table) => sql.exec(`SELECT * FROM ${table} ORDER BY 1, 2`).toArray()),
    ),
  )

async function record(owner: TestCaller): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + RECORD_DELAY_MS })
  await runDurableObjectAlarm(accountOf(owner))
  vi.useRealTimers()
}

/** With a device whose package was replaced, one that is revoked, and a later one; all of it is in the log and its map. */
async function ownerOf({ isMapped = true } = {}): Promise<TestCaller> {
  const owner = await caller()
  const { package: replaced } = await publishedDevice(owner, { count: 1 })
  const credential = await credentialOf(owner, replaced.keyPackage, { version: 2 })
  expect((await publish(owner, { credential, keyPackage: replaced.keyPackage })).status).toBe(200)
  const { device } = await publishedDevice(owner, { count: 1 })
  expect((await revoke(owner, device.deviceId, await revocationOf(owner, device.deviceId))).status).toBe(200)
  const { statement } = await owner.identity.keyAgreement({ realm: REALM, now: 2_000 })
  await accountOf(owner).record(labelOf(owner.identity.did), [statement])
  await publishedDevice(owner, { count: 1 })
  await logged(owner)
  if (isMapped) await mapped()
  await record(owner)
  return owner
}

function withRows(base: Base, table: string, change: (rows: Rows) => Row[]): Base {
  if (!base.tables.some((one) => one.table === table)) throw new Error(`the record has no ${table}`)
  return { ...base, tables: base.tables.map((one) => (one.table === table ? { ...one, rows: change(one) } : one)) }
}

function set(base: Base, table: string, members: Record<string, Row[number]>) {
  return withRows(base, table, ({ columns, rows }) =>
    rows.map((row) =>
      row.map((cell, at) => {
        const column = columns[at] ?? ''
        return column in members ? (members[column] ?? null) : cell
      }),
    ),
  )
}

/** Updates that are numbered and folded as they should be. */
function refolded(base: Base, change: (statements: { type: string }[]) => { type: string }[]): Base {
  return withRows(base, 'updates', ({ columns, rows }) => {
    const at = (name: string) => columns.indexOf(name)
    const statements = rows.map((row) => JSON.parse(row[at('statement')] as string) as { type: string })
    let head = EMPTY_HEAD
    return change(statements).map((statement, index) => {
      const hash = statementHash(statement)
      head = nextHead(head, hash)
      const values: Record<string, Row[number]> = {
        seq: head.seq,
        head: head.head,
        statement_hash: hash,
        statement: jcs(statement),
      }
      return (rows[index] ?? rows[0] ?? []).map((cell, column) => values[columns[column] ?? ''] ?? cell)
    })
  })
}

/** The rebuild is refused, and nothing of object and records is touched; with the true record it succeeds. */
async function expectRefused(owner: TestCaller, change: (base: Base) => Base, fault: string): Promise<void> {
  const label = labelOf(owner.identity.did)
  const object = accountOf(owner)
  const keys = await keysOf(label)
  expect(keys).toHaveLength(1)
  const [key = ''] = keys
  const before = await stateOf(owner)
  const bytes = (await (await env.RECORDS.get(key))?.arrayBuffer()) ?? ''
  const base = (await files().read(label, 1))?.record
  if (!base) throw new Error('no record')
  const { version: _, keyId: __, ...planted } = change(base)
  await env.RECORDS.delete(key)
  expect(await files().create(planted)).not.toBeNull()
  const stored = (await env.RECORDS.head(key))?.etag
  await runInDurableObject(object, ({ stored: lost }) => lost.deleteAll())
  const options = { replaces: false, lostAt: Date.now() - 600_000 }
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await accountOf(owner).rebuildFromRecords(options)).toBe('failed')
  expect(warn.mock.calls.join()).toContain(fault)
  expect((await accountOf(owner).head()).seq).toBe(0)
  expect((await env.RECORDS.head(key))?.etag).toBe(stored)
  await env.RECORDS.put(key, bytes)
  expect(await accountOf(owner).rebuildFromRecords(options)).toBe('rebuilt')
  expect(await stateOf(owner)).toBe(before)
}

describe('a planted row refuses the rebuild of an account', () => {
  it.each<[string, (base: Base) => Base, string]>([
    ['a revoked device that is active', (base) => set(base, 'devices', { revoked_version: 0 }), ': revocation'],
    ['a package of another update', (base) => set(base, 'packages', { seq: 1 }), 'package of device'],
    ['a device without an update', (base) => withRows(base, 'devices', twice), 'no update'],
    ['a device that is left out', (base) => withRows(base, 'devices', ({ rows }) => rows.slice(1)), 'missing'],
    [
      'an update that is left out',
      (base) => withRows(base, 'updates', ({ rows }) => rows.slice(1)),
      'update 1: missing',
    ],
    ['another statement', (base) => set(base, 'updates', { statement: '{"type":"svc/other/v1"}' }), 'statement'],
    ['another head', (base) => set(base, 'updates', { head: 'ab'.repeat(48) }), 'update 1: head'],
    ['another version', (base) => set(base, 'devices', { version: 9 }), 'version'],
    ['a revocation that never was', forgotten, 'not that of the map of accounts'],
    ['one that never was, under updates that end earlier', (base) => forgotten(cut(base)), 'not that of the log'],
    ['another key agreement', (base) => withAgreement(base, 2_000), 'update 7: an older key agreement'],
    ['a key agreement that is not an update', (base) => withNewest(base, 'ab'.repeat(48)), 'key agreement'],
    ['a package that the root key did not sign', (base) => resigned(base, 'packages', 'pair'), 'invalid_signature'],
    ['a revocation that it did not sign', (base) => resigned(base, 'devices', 'revocation'), 'invalid_signature'],
  ])(
    '%s',
    async (_, change, fault) => {
      await expectRefused(await ownerOf(), change, fault)
    },
    60_000,
  )
})

it('one of updates that the map does not have yet is compared with the log', async () => {
  await expectRefused(await ownerOf({ isMapped: false }), forgotten, 'not that of the')
}, 60_000)

/** As if its owner had never revoked the device. */
function forgotten(base: Base): Base {
  const other = (statement: { type: string }) =>
    statement.type === 'svc/package-revocation/v1' ? { type: 'svc/other/v1' } : statement
  const unrevoked = { revoked_version: 0, revoked_at: 0, revocation: null }
  return set(
    refolded(base, (statements) => statements.map(other)),
    'devices',
    unrevoked,
  )
}

/** Without the newest update, and without its device. */
function cut(base: Base): Base {
  let last = ''
  const shorter = refolded(base, (statements) => {
    last = (statements.at(-1) as unknown as { deviceId: string }).deviceId
    return statements.slice(0, -1)
  })
  return ['devices', 'packages'].reduce(
    (one, table) => withRows(one, table, ({ rows }) => rows.filter((row) => !row.includes(last))),
    shorter,
  )
}

/** With one more key agreement, of this time. */
function withAgreement(base: Base, issuedAt: number): Base {
  return refolded(base, (statements) => [...statements, { type: 'svc/key-agreement/v1', issuedAt }])
}

/** The newest key agreement that the account knows. */
function withNewest(base: Base, hash: string): Base {
  return { ...base, facts: { ...base.facts, agreement: { hash, issuedAt: 2_000 } } }
}

/** With another signature under the same statements. */
function resigned(base: Base, table: string, column: string): Base {
  return withRows(base, table, ({ columns, rows }) =>
    rows.map((row) =>
      row.map((cell, at) =>
        columns[at] === column && typeof cell === 'string'
          ? cell.replaceAll(/"signatureB64u":"[\w-]{8}/g, '"signatureB64u":"AAAAAAAA')
          : cell,
      ),
    ),
  )
}

function twice({ columns, rows }: Rows): Row[] {
  const [first = []] = rows
  return [...rows, first.map((cell, at) => (columns[at] === 'device_id' ? 'ab'.repeat(48) : cell))]
}
