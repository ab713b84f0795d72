import { env } from 'cloudflare:workers'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { signStatement } from '@svc/protocol/base/statement'
import { deviceOf, REALM, signerOf, type TestCaller } from '@svc/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { freshCaller, send } from '../harness.ts'
import { committed } from '../rotation/committed/committed.fixture.ts'
import { files, keysOf, lose, objectOf, rebuild, record, stateOf } from './records.fixture.ts'

type Base = NonNullable<Awaited<ReturnType<ReturnType<typeof files>['read']>>>['record']
type Rows = Base['tables'][number]

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** With a chain of three blocks, a device and one that was revoked. */
async function ownerOf(): Promise<TestCaller> {
  const caller = await freshCaller()
  await caller.client.chain.append({ payload: new Uint8Array([1]), contentType: 'a/a' })
  await caller.client.chain.append({ contentType: 'b/b' })
  await deviceOf(caller, { fetch: send, capabilities: [] })
  const { device } = await deviceOf(caller, { fetch: send, capabilities: ['rotation:cosign'] })
  await caller.client.devices.revoke(device.deviceId)
  await record(objectOf(caller.identity.did))
  return caller
}

/** Changes rows of a table of the one record. */
function withRows(base: Base, table: string, change: (rows: Rows) => Rows['rows']): Base {
  const found = base.tables.some((one) => one.table === table)
  if (!found) throw new Error(`the record has no ${table}`)
  return { ...base, tables: base.tables.map((one) => (one.table === table ? { ...one, rows: change(one) } : one)) }
}

/** Puts a value into a column of the rows that `which` finds. */
function set(
  base: Base,
  table: string,
  column: string,
  value: Rows['rows'][number][number],
  which: (n: number) => boolean = () => true,
) {
  return withRows(base, table, ({ columns, rows }) =>
    rows.map((row, n) => (which(n) ? row.map((cell, at) => (columns[at] === column ? value : cell)) : row)),
  )
}

/** As who has the seed and the bucket would: the record is of the right form, under the right key. */
async function plant(did: string, planted: Base): Promise<void> {
  const { version: _, keyId: __, ...unsealed } = planted
  const [key = ''] = await keysOf(did)
  await env.RECORDS.delete(key)
  expect(await files().create(unsealed)).not.toBeNull()
}

/** The rebuild is refused, and nothing of object and records is touched; with the true record it succeeds. */
async function expectRefused(caller: TestCaller, change: (base: Base) => Base, fault: string): Promise<void> {
  const { did } = caller.identity
  const object = objectOf(did)
  expect(await keysOf(did)).toHaveLength(1)
  const [key = ''] = await keysOf(did)
  const before = await stateOf(object)
  const bytes = (await (await env.RECORDS.get(key))?.arrayBuffer()) ?? ''
  const base = (await files().read(did, 1))?.record
  if (!base) throw new Error('no record')
  await plant(did, change(base))
  await lose(object)
  const stored = (await env.RECORDS.head(key))?.etag
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  expect(await rebuild(object)).toBe('failed')
  expect(warn.mock.calls.join()).toContain(fault)
  expect(await object.read()).toBeNull()
  expect((await env.RECORDS.head(key))?.etag).toBe(stored)
  expect(await keysOf(did)).toHaveLength(1)
  await env.RECORDS.put(key, bytes)
  expect(await rebuild(object)).toBe('rebuilt')
  expect(await stateOf(object)).toBe(before)
}

describe('a planted row refuses the rebuild', () => {
  it.each<[string, (base: Base) => Base, string]>([
    [
      'a revoked device that is active',
      (base) => set(base, 'devices', 'status', 'active'),
      'is active and was revoked',
    ],
    [
      'a revocation that is left out, at the end',
      (base) => withRows(base, 'inception_events', ({ rows }) => rows.slice(0, -1)),
      'newest event',
    ],
    [
      'an event that is left out, before another',
      (base) => withRows(base, 'inception_events', ({ rows }) => rows.slice(1)),
      'event 1 of the inception log: stale_inception_head',
    ],
    ['a device that nobody attested', (base) => withRows(base, 'devices', twice), 'no event'],
    ['a device that is left out', (base) => withRows(base, 'devices', ({ rows }) => rows.slice(1)), 'missing'],
    ['capabilities', (base) => set(base, 'devices', 'capabilities', '["notes:read"]'), 'capabilities'],
    ['an older standing', (base) => set(base, 'device_spans', 'since', 1), 'span'],
    ['another root key', (base) => set(base, 'keys', 'public_key', anotherKey), 'root key of epoch 0: bad_genesis'],
    ['a second root key', (base) => withRows(base, 'keys', next), 'root key of epoch 1: broken_link'],
    [
      'another block',
      (base) => set(base, 'blocks', 'data_hash', 'ab'.repeat(48), isSecond),
      'block 1: invalid_signature',
    ],
    ['another hash of a block', (base) => set(base, 'blocks', 'hash', 'ab'.repeat(48), isSecond), 'hash of block 1'],
    ['a gap in the chain', (base) => withRows(base, 'blocks', ({ rows }) => rows.filter((_, n) => n !== 1)), 'block 2'],
    ['no chain', (base) => withRows(base, 'blocks', () => []), 'records'],
  ])('%s', async (_, change, fault) => {
    await expectRefused(await ownerOf(), change, fault)
  })

  it('a key agreement that the owner did not sign', async () => {
    const caller = await freshCaller()
    const object = objectOf(caller.identity.did)
    const signed = await caller.identity.keyAgreement({ realm: REALM, now: Date.now() })
    const { userId: signerUserId } = caller.identity
    expect((await object.register(undefined, { signed, signerUserId })).ok).toBe(true)
    await record(object)
    const forge = (base: Base): Base => {
      const known = base.facts?.['keyAgreement'] as { signed: { statement: object; signatureB64u: string } }
      const statement = { ...known.signed.statement, kemKeyId: 'of a thief' }
      return { ...base, facts: { ...base.facts, keyAgreement: { ...known, signed: { ...known.signed, statement } } } }
    }
    await expectRefused(caller, forge, 'key agreement')
  })

  it('an end that the root key signed without a successor', async () => {
    const { alice } = await committed()
    await record(objectOf(alice.identity.did))
    const { did, scope, epoch } = alice.identity
    const issuedAt = Date.now()
    const statement = {
      type: 'svc/did-deactivate/v1',
      realm: REALM,
      did,
      scope,
      epoch,
      inception: null,
      issuedAt,
    } as const
    const signed = await signStatement(statement, signerOf(alice.identity))
    const end = (base: Base): Base => ({
      ...base,
      facts: { ...base.facts, deactivation: { signed, acceptedAt: issuedAt } },
    })
    await expectRefused(alice, end, 'deactivation')
  })

  it('the state of another identity', async () => {
    const [caller, other] = [await ownerOf(), await ownerOf()]
    const theirs = (await files().read(other.identity.did, 1))?.record
    if (!theirs) throw new Error('no record')
    const own = (base: Base): Base => ({ ...theirs, name: base.name, attempt: base.attempt })
    await expectRefused(caller, own, 'The records are of another identity')
  })
})

const anotherKey = { b: encodeBase64url(new Uint8Array(1952).fill(7)) }
const isSecond = (n: number) => n === 1

function twice({ columns, rows }: Rows): Rows['rows'] {
  const [first = []] = rows
  return [...rows, first.map((cell, at) => (columns[at] === 'device_id' ? 'a device of nobody' : cell))]
}

function next({ columns, rows }: Rows): Rows['rows'] {
  const [first = []] = rows
  const values: Record<string, Rows['rows'][number][number]> = {
    epoch: 1,
    user_id: 'of a thief',
    public_key: anotherKey,
  }
  return [...rows, first.map((cell, at) => values[columns[at] ?? ''] ?? cell)]
}
