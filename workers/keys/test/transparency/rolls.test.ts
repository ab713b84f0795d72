import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { LogAuditor } from '@svc/client/audit'
import { mapEntryOf } from '@svc/protocol/keys/account-map'
import type { CheckpointAnswer, DirectoryCheckpoint, InclusionAnswer } from '@svc/protocol/keys/transparency'
import { closeEntry, openEntry } from '@svc/protocol/merkle/entries'
import type { ListedLog } from '@svc/protocol/merkle/log-list'
import { expectRefusal } from '@svc/service/testing'
import { ServedTiles, tileUrl } from '@svc/testing'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { mapped } from '../account-map/map.fixture.ts'
import { publishedDevice } from '../directory/directory.fixture.ts'
import { BASE, call, caller, dataOf, send } from '../harness.ts'
import { accountOf, LIST_KEYS, LOG, leavesOf, log, logged, opened, submit, transport } from './log.fixture.ts'
import { announced, NEXT, publishList, roll } from './rolls.fixture.ts'

const get = (path: string) => call(null, 'GET', `/api/transparency/${path}`)
const of = (name: string) => `log=${encodeURIComponent(name)}`
const checkpoint = async (query = '') => dataOf<CheckpointAnswer>(await get(`checkpoint${query}`)).checkpoint
const TILES = `${BASE}/api/transparency`
const auditor = new LogAuditor(transport(), BASE, LIST_KEYS)
afterAll(() => {
  vi.useRealTimers()
})

/** One device of an account of its own, in the log that is open. */
async function published() {
  const made = await publishedDevice(await caller(), { count: 1 })
  await logged(made.owner)
  return made
}

describe('a log of the directory', () => {
  it('is not rolled to one that no list announces with its key', async () => {
    await opened()
    await proveFromTiles((await published()).package.leafId)
    expectRefusal(await roll(), 'log_not_announced')
    const other = await announced(NEXT, { seed: new Uint8Array(32).fill(0x13) })
    await publishList((logs) => [...logs, other])
    expectRefusal(await roll(), 'log_not_announced')
    expectRefusal(await roll({ log: `${LOG}x` }), 'not_found')
    expectRefusal(await roll({ log: LOG.replace('2027a', '2026a') }), 'not_found')
    expect((await checkpoint()).statement.log).toBe(LOG)
    expectRefusal(await get(`checkpoint?${of(NEXT)}`), 'not_found')
  })

  it('is rolled under its readers and writers', async () => {
    const third = LOG.replace('2027a', '2027c')
    const next = await announced(third)
    await publishList((logs) => [...logs, next])
    const before = await published()
    await mapped()
    const visit = await auditor.follow(null)
    const writers = Array.from({ length: 20 }, () => publishedDevice)
    const [rolled, ...made] = await Promise.all([
      roll({ next: third }),
      ...writers.map(async (publish) => publish(await caller(), { count: 1 })),
    ])
    dataOf(rolled)
    for (const { owner } of made) await runDurableObjectAlarm(accountOf(owner))
    const after = await published()
    await mapped()

    const open = await checkpoint()
    expect(open.statement.log).toBe(third)
    const final = await checkpoint(`?${of(LOG)}`)
    expect(await checkpoint(`?${of(LOG)}`)).toEqual(final)
    const proofs = await Promise.all(
      [before, ...made, after].map(async ({ package: { leafId } }) =>
        dataOf<InclusionAnswer>(await get(`proof/${leafId}`)),
      ),
    )
    const logs = proofs.map(({ position }) => position.log)
    expect([logs.at(0), logs.at(-1)]).toEqual([LOG, third])
    expect(new Set(logs)).toEqual(new Set([LOG, third]))
    expect(proofs[0]?.checkpoint).toEqual(final)
    expectRefusal(await get(`proof/${before.package.leafId}?${of(third)}`), 'not_found')
    for (const one of [before, after]) await proveFromTiles(one.package.leafId)
    const { transparency } = after.owner.client
    for (const one of [before, after]) await transparency.prove(one.package)

    // The map of accounts goes on, too.
    for (const { owner } of [before, after]) {
      const account = await transparency.account(owner.identity.did)
      expect([account.seq, account.map.position.log]).toEqual([1, third])
    }

    // A reader who knows no newer list sees the log end, and no fault.
    const between = await auditor.follow(visit.state)
    expect(withoutMaps(between.others)).toEqual([closeEntry(third)])
    await publishList((all) => all.map((one) => listedAfter(one, { final, third })))
    const whole = await auditor.follow(visit.state)
    expect(withoutMaps(whole.others)).toEqual([closeEntry(third), openEntry(third, endOf(final))])
    const ids = whole.updates.map(({ label, statementHash }) => `${label}-${statementHash}`)
    expect(ids.toSorted()).toEqual([...made, after].map(({ package: { leafId } }) => leafId).toSorted())
    expect(whole.state.checkpoint.statement.log).toBe(third)
    expect((await auditor.follow(null)).updates.length).toBeGreaterThan(whole.updates.length)

    dataOf(await roll({ next: third }))
    expectRefusal(await roll({ next: NEXT }), 'log_closed')
    const health = await call(null, 'GET', '/health')
    expect(health.body).toMatchObject({ status: 'ok' })
    const capabilities = await call(null, 'GET', '/api/capabilities')
    expect(capabilities.body).toMatchObject({ transparency: { log: third } })
  })

  it('goes on proving what it had, from files that never change', async () => {
    const { size } = (await checkpoint(`?${of(LOG)}`)).statement
    const full = await get(`entries/0?${of(LOG)}`)
    expect(full.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate')
    expect(dataOf<{ entries: string[] }>(full).entries).toHaveLength(size)
    dataOf(await get(`audit/1-${size}?${of(LOG)}`))
    expectRefusal(await get(`audit/${size + 1}?${of(LOG)}`), 'not_found')
    const third = LOG.replace('2027a', '2027c')
    await submitTo(third, 300)
    const bundle = await get(`entries/0?${of(third)}`)
    expect(bundle.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const cached = async (name: string, index: number, width?: number) => {
      const answer = await send(new Request(tileUrl({ log: name, tiles: TILES }, { level: 0, index }, width)))
      return [(await answer.arrayBuffer()).byteLength / 48, answer.headers.get('cache-control')]
    }
    expect(await cached(third, 0)).toEqual([256, 'public, max-age=31536000, immutable'])
    expect(await cached(LOG, 0, size)).toEqual([size, 'public, max-age=300'])
    // The open log is another one after the next roll.
    expect((await get('entries/0')).headers.get('cache-control')).toBe('public, max-age=5, must-revalidate')
  })

  it('sends what was meant for it to the next one, in the order of the account', async () => {
    const { owner, package: first } = await publishedDevice(await caller(), { count: 1 })
    // The account was told of a log that was closed before it could carry anything there.
    await runInDurableObject(
      accountOf(owner),
      (_, { storage }) => void storage.sql.exec('UPDATE outbox SET log = ?', LOG),
    )
    await runDurableObjectAlarm(accountOf(owner))
    const { position } = dataOf<InclusionAnswer>(await get(`proof/${first.leafId}`))
    expect(position.log).toBe(LOG.replace('2027a', '2027c'))
    expect(await log().locate(LOG, first.leafId)).toBeNull()
    await expect(submit(leavesOf(90_000, 1))).rejects.toThrow('log_closed')
  })
})

/** That tiles alone give the root that the service has signed, and its proof of a leaf. */
async function proveFromTiles(leafId: string): Promise<void> {
  const { position, proof, checkpoint: signed } = dataOf<InclusionAnswer>(await get(`proof/${leafId}`))
  const { log: name, size, root } = signed.statement
  const served = new ServedTiles({ log: name, tiles: TILES }, size, send)
  expect([await served.root(), await served.inclusion(position.index)]).toEqual([root, proof])
}

const withoutMaps = (lines: readonly string[]) => lines.filter((line) => mapEntryOf(line) === null)

const endOf = ({ statement: { log: name, size, root } }: DirectoryCheckpoint) => ({ log: name, size, root })

function listedAfter(one: ListedLog, { final, third }: { final: DirectoryCheckpoint; third: string }): ListedLog {
  if (one.log === LOG) return { ...one, state: 'closed', final }
  return one.log === third ? { ...one, state: 'open', previous: endOf(final) } : one
}

async function submitTo(name: string, count: number): Promise<void> {
  const placed = await env.TRANSPARENCY_LOG.getByName(name).submit(name, Date.now(), leavesOf(50_000, count))
  if (!placed.ok) throw new Error(placed.error.reason)
}
