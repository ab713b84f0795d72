import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { mapEntryOf } from '@svc/protocol/keys/account-map'
import { EMPTY_HEAD, foldHead } from '@svc/protocol/keys/account-updates'
import { bucketOf } from '@svc/protocol/keys/map-pages'
import { type AccountAnswer, verifyAccount } from '@svc/protocol/keys/transparency'
import { expectRefusal } from '@svc/service/testing'
import { REALM } from '@svc/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import type { MapBucketObject } from '../../src/account-map/bucket-object.ts'
import { publishedDevice } from '../directory/directory.fixture.ts'
import { call, caller, dataOf } from '../harness.ts'
import { LOG, labelOf, leavesOf, log, logged, logList, submit } from '../transparency/log.fixture.ts'
import { accountMap, bucketAt, entriesOf, mapOf, mapped } from './map.fixture.ts'

/** Each read with an address of its own is not cached. */
const read = (did: string) => call(null, 'GET', `/api/transparency/proof/${did}?log=${encodeURIComponent(LOG)}`)
const NOBODY = `did:svc:${'q'.repeat(32)}`

describe('the map of accounts', () => {
  let owner: Awaited<ReturnType<typeof caller>>
  beforeAll(async () => {
    await submit(leavesOf(90_000, 400))
    owner = await caller()
    await publishedDevice(owner, { count: 1 })
    await logged(owner)
    await mapped()
  }, 60_000)

  it('proves an account, and that there is none', async () => {
    const list = await logList()
    for (const [did, result] of [
      [owner.identity.did, 'present'],
      [NOBODY, 'absent'],
    ] as const) {
      const answer = dataOf<AccountAnswer>(await read(did))
      const proved = await verifyAccount(labelOf(did), answer, list, [REALM])
      if (!proved.ok) throw new Error(proved.error.reason)
      expect(answer.result).toBe(result)
      expect(proved.value.seq).toBe(result === 'present' ? 1 : 0)
    }
  })

  it('is the one of the entries, whatever came in how many steps', async () => {
    const map = await accountMap().current(LOG)
    const entries = await entriesOf()
    const signed = mapEntryOf(entries[map.index] ?? '')
    expect(signed).toMatchObject({ size: map.counted.size, epoch: map.epoch, at: map.at })
    const expected = mapOf(entries.slice(0, map.counted.size))
    expect(signed?.root).toBe(expected.root)
    const label = labelOf(owner.identity.did)
    const { terminal, bitmap, siblingsB64u } = dataOf<AccountAnswer>(await read(owner.identity.did))
    expect({ terminal, bitmap, siblingsB64u }).toEqual(expected.path(label))
  })

  it('keeps proving the map before the next one is signed', async () => {
    const before = await accountMap().current(LOG)
    const [{ update } = { update: { label: '', seq: 1, statementHash: '' } }] = leavesOf(90_000, 1)
    const bucket = bucketOf(update.label)
    const head = before.heads[bucket] ?? null
    const path = await bucketAt(bucket).path(update.label, head)
    const more = { label: update.label, seq: 2, statementHash: 'a7'.repeat(48) }
    const next = { epoch: before.epoch + 100, step: 1, until: 'test', from: head, updates: [more] }
    const counted = await bucketAt(bucket).count(next)
    if (!counted.ok) throw new Error(counted.error.reason)
    // The same step again changes nothing, and both maps can be read.
    expect(await bucketAt(bucket).count(next)).toEqual(counted)
    expect(await bucketAt(bucket).path(update.label, head)).toEqual(path)
    const now = await bucketAt(bucket).path(update.label, counted.value)
    const heads = foldHead(EMPTY_HEAD, [update.statementHash, more.statementHash])
    expect(now).toMatchObject({ ok: true, value: { terminal: heads } })
    const other = { ...next, until: 'another', from: counted.value }
    expect(await bucketAt(bucket).count(other)).toMatchObject({ ok: false, error: { reason: 'lost' } })
    expect(await bucketAt(bucket).path(update.label, { hash: 'a7'.repeat(48), isLone: false })).toMatchObject({
      ok: false,
    })
    // This bucket is now ahead of the map, as after a restore of the map's object: the next map recomputes it.
    await submit(leavesOf(91_000, 300))
    await mapped()
    const after = await accountMap().current(LOG)
    expect(after.epoch).toBe(before.epoch + 1)
    expect(mapEntryOf((await entriesOf())[after.index] ?? '')?.root).toBe(
      mapOf(await entriesOf(after.counted.size)).root,
    )
  }, 60_000)

  it('gets a lost bucket back from the entries', async () => {
    const { did } = owner.identity
    const bucket = bucketOf(labelOf(did))
    await runInDurableObject(bucketAt(bucket), (object: MapBucketObject) => object.stored.deleteAll())
    // Past the cache.
    const replaced = () => ({ PUBLIC_ORIGINS: [`https://${crypto.randomUUID()}.test`] })
    const again = () => call(null, 'GET', `/api/transparency/proof/${did}`, { replaced: replaced() })
    expectRefusal(await again(), 'dependency_unavailable')
    await runDurableObjectAlarm(accountMap())
    const answer = dataOf<AccountAnswer>(await again())
    expect(await verifyAccount(labelOf(did), answer, await logList(), [REALM])).toMatchObject({ ok: true })
  })

  it('is not made a second time by an object that was restored', async () => {
    const before = await accountMap().current(LOG)
    await submit(leavesOf(92_000, 20))
    await mapped()
    const { epoch } = await accountMap().current(LOG)
    expect(epoch).toBe(before.epoch + 1)
    const map = env.ACCOUNT_MAP.getByName('restored')
    // An object without storage finds the map that the log has.
    const found = await map.current(LOG)
    expect(found.epoch).toBe(epoch)
    expect(found).toEqual(await accountMap().current(LOG))
    const epochs = (await entriesOf()).flatMap((line) => mapEntryOf(line)?.epoch ?? [])
    expect(epochs).toEqual(Array.from({ length: epoch }, (_, i) => i + 1))
  }, 60_000)

  it('has the updates of a submission that was repeated once', async () => {
    const leaves = leavesOf(93_000, 5)
    await Promise.all([submit(leaves), submit(leaves)])
    await mapped()
    await mapped()
    const { counted, index, epoch } = await accountMap().current(LOG)
    expect(await log().locate(LOG, `map-${epoch}`)).toBe(index)
    expect(index).toBe(counted.size)
    // Nothing is left to publish.
    await mapped()
    expect((await accountMap().current(LOG)).epoch).toBe(epoch)
  })
})
