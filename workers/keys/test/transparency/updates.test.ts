import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { LogAuditor } from '@svc/client/audit'
import { makeKeyPackage } from '@svc/client/functions'
import { statementHash } from '@svc/protocol/base/statement'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { EMPTY_HEAD, foldHead } from '@svc/protocol/keys/account-updates'
import type { DirectoryPage } from '@svc/protocol/keys/directory'
import type { AccountAnswer, AccountAudit } from '@svc/protocol/keys/transparency'
import { encodeCursor } from '@svc/protocol/merkle/cursor'
import { expectRefusal } from '@svc/service/testing'
import { REALM, type TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { mapped } from '../account-map/map.fixture.ts'
import { credentialOf, pathOf, publish, publishedDevice, revocationOf, revoke } from '../directory/directory.fixture.ts'
import { BASE, call, caller, dataOf, deviceFor } from '../harness.ts'
import { accountOf, LIST_KEYS, LOG, labelOf, leavesOf, log, logged, opened, submit, transport } from './log.fixture.ts'

const get = (path: string) => call(null, 'GET', `/api/transparency/${path}`)
const listing = async (by: Parameters<typeof call>[0], did: string, cursor = '') =>
  call(by, 'GET', `${pathOf(did, '').replace(/\/$/, '')}${cursor === '' ? '' : `?cursor=${cursor}`}`)

/** An account that has published a device three times, revoked it, and published it again. */
async function busy() {
  const owner = await caller()
  const { device } = await deviceFor(owner)
  for (const version of [1, 2, 3, 5]) {
    if (version === 5)
      dataOf(await revoke(owner, device.deviceId, await revocationOf(owner, device.deviceId, { version: 3 })))
    const keyPackage = await makeKeyPackage(device, { realm: REALM, now: Date.now() + version })
    dataOf(await publish(owner, { credential: await credentialOf(owner, keyPackage, { version }), keyPackage }))
  }
  return { owner, device }
}

describe('the updates of an account', () => {
  it('are numbered, folded, and all accounted for', async () => {
    const { owner, device } = await busy()
    const { did } = owner.identity
    const reader = await caller()
    const page = dataOf<DirectoryPage>(await listing(reader, did))
    expect(page.label).toBe(labelOf(did))
    expect(page.updates.map(({ seq, statement }) => [seq, statement?.type ?? null])).toEqual([
      [1, 'svc/device-credential/v1'],
      [2, 'svc/device-credential/v1'],
      [3, 'svc/device-credential/v1'],
      [4, null],
      [5, null],
    ])
    expect([page.updates[3]?.revocation?.seq, page.updates[4]?.package?.version]).toEqual([4, 5])
    // Before anybody asks for the account: an answer is cached for five seconds.
    await logged(owner)
    await mapped()
    const { devices, seq, head } = await reader.client.keyDirectory.list(did)
    expect([seq, devices.map(({ deviceId }) => deviceId)]).toEqual([5, [device.deviceId]])
    expect(head).toBe(page.head)
    const answer = dataOf<AccountAnswer>(await get(`proof/${did}`))
    const account = { label: labelOf(did), seq: 5, head }
    const { labelProofB64u } = labels.prove(did)
    expect(answer).toMatchObject({ ...account, labelProofB64u, result: 'present', terminal: account })
    const audit = dataOf<AccountAudit>(await get(`audit/${did}?since=0`))
    expect(audit).toMatchObject({ ...account, labelProofB64u })
    expect(foldHead(EMPTY_HEAD, audit.statementHashes)).toEqual({ seq: 5, head })
    const { transparency } = (await caller({ genesis: false })).client
    expect(await transparency.follow(did)).toEqual({ seq: 5, head })
    const known = foldHead(EMPTY_HEAD, audit.statementHashes.slice(0, 2))
    expect(await transparency.follow(did, known)).toEqual({ seq: 5, head })
    expect((await transparency.account(did)).seq).toBe(5)
  })

  it('that do not follow from the known ones are an error', async () => {
    const { owner } = await busy()
    const { transparency } = (await caller({ genesis: false })).client
    const wrong = [
      { seq: 2, head: 'a7'.repeat(48) },
      { seq: 6, head: 'a7'.repeat(48) },
    ]
    for (const from of wrong) {
      await expect(transparency.follow(owner.identity.did, from)).rejects.toThrow('do not follow')
    }
  })

  it('are in the log in their order, whatever carries them', async () => {
    await opened()
    const owners = await Promise.all([busy(), busy()])
    for (const { owner } of owners) await runDurableObjectAlarm(accountOf(owner))
    const visit = await new LogAuditor(transport(), BASE, LIST_KEYS).safeFollow(null)
    if (!visit.ok) throw visit.error
    for (const { owner } of owners) {
      const own = visit.value.updates.filter(({ label }) => label === labelOf(owner.identity.did))
      expect(own.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5])
    }
  })

  it('are proved by label, too, and then nothing names the DID', async () => {
    const { owner } = await busy()
    const { did } = owner.identity
    await logged(owner)
    await mapped()
    const [answer, audit] = await Promise.all([get(`proof/${labelOf(did)}`), get(`audit/${labelOf(did)}?since=4`)])
    expect(dataOf<AccountAnswer>(answer)).toMatchObject({ label: labelOf(did), result: 'present', seq: 5 })
    expect(dataOf<AccountAudit>(audit)).toMatchObject({ label: labelOf(did), since: 4, seq: 5 })
    const [leafId] = dataOf<DirectoryPage>(await listing(owner, did)).updates.map((update) => update.leafId)
    const leaf = await get(`proof/${leafId}?dated=true`)
    for (const { body } of [answer, audit, leaf]) {
      expect(JSON.stringify(body)).not.toContain(did)
      expect(JSON.stringify(body)).not.toContain('labelProofB64u')
    }
  })

  it('of an account without any are absent, and asking leaves nothing behind', async () => {
    const did = `did:svc:${'q'.repeat(32)}`
    const before = (await env.ACCOUNT_DIRECTORIES.getByName(labelOf(did)).head()).seq
    const answer = await get(`proof/${did}`)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=5, must-revalidate')
    expect(dataOf<AccountAnswer>(answer)).toMatchObject({ result: 'absent', ...EMPTY_HEAD, label: labelOf(did) })
    expect(dataOf<AccountAudit>(await get(`audit/${did}`))).toMatchObject({ since: 0, statementHashes: [], seq: 0 })
    expect(before).toBe(0)
  })

  it('are found by their leaf id alone', async () => {
    const owner = await caller()
    const published = await publishedDevice(owner, { count: 1 })
    await logged(owner)
    const proved = await (await caller({ genesis: false })).client.transparency.prove(published.package)
    expect([proved.seq, proved.leafId]).toEqual([1, published.package.leafId])
    expect(proved.leafId.startsWith(`${labelOf(owner.identity.did)}-`)).toBe(true)
  })
})

describe('key agreements', () => {
  const agreed = async ({ identity }: TestCaller, now: number) =>
    (await identity.keyAgreement({ realm: REALM, now })).statement

  it('are updates with their time, and the map has the newest', async () => {
    const owner = await caller()
    const { did } = owner.identity
    const [first, second] = [await agreed(owner, 1_000), await agreed(owner, 2_000)]
    const record = (...statements: (typeof first)[]) => accountOf(owner).record(labelOf(did), statements)
    await record(first, second)
    await publishedDevice(owner, { count: 1 })
    await Promise.all(Array.from({ length: 20 }, () => record(first, second)))
    await logged(owner)
    await mapped()
    const agreement = { hash: statementHash(second), issuedAt: 2_000 }
    const { transparency } = (await caller({ genesis: false })).client
    // An isolate may use a map that is a second old.
    await transparency.follow(did, await accountOf(owner).head())
    const answer = dataOf<AccountAnswer>(await get(`proof/${did}`))
    expect(answer).toMatchObject({ seq: 3, agreement, terminal: { agreement } })
    expect((await transparency.account(did)).agreement).toEqual(agreement)
    for (const [i, statement] of [first, second].entries()) {
      const proved = await transparency.proveUpdate(did, statementHash(statement), { dated: true })
      expect(proved).toMatchObject({ seq: i + 1, agreedAt: statement.issuedAt, map: { leaf: expect.any(String) } })
    }
    const { updates } = await transparency.safeUpdatesOf(did).then((found) => ({ updates: found.ok && found.value }))
    expect(updates).toHaveLength(3)
    const visit = await new LogAuditor(transport(), BASE, LIST_KEYS).safeFollow(null)
    if (!visit.ok) throw visit.error
    expect(visit.value.updates.filter(({ label }) => label === labelOf(did)).map(({ agreedAt }) => agreedAt)).toEqual([
      1_000,
      2_000,
      undefined,
    ])
  })

  it('never go back: what core reports after it lost a newer one is left out', async () => {
    const owner = await caller()
    const { did } = owner.identity
    const [older, newer] = [await agreed(owner, 1_000), await agreed(owner, 2_000)]
    await accountOf(owner).record(labelOf(did), [newer])
    const rotation = { type: 'svc/rotation-request/v1', did, epoch: 1 }
    await accountOf(owner).record(labelOf(did), [older, rotation, await agreed(owner, 2_000)])
    const { updates } = dataOf<DirectoryPage>(await listing(owner, did))
    expect(updates.map(({ statement }) => statement)).toEqual([newer, rotation])
  })

  it('are known to an account that lost its updates', async () => {
    const owner = await caller()
    const { did } = owner.identity
    const [older, newer] = [await agreed(owner, 1_000), await agreed(owner, 2_000)]
    await accountOf(owner).record(labelOf(did), [newer])
    await logged(owner)
    await mapped()
    await runInDurableObject(accountOf(owner), ({ stored }) => stored.deleteAll())
    await evictDurableObject(accountOf(owner))
    const rotation = { type: 'svc/rotation-request/v1', did, epoch: 1 }
    await accountOf(owner).record(labelOf(did), [older, rotation])
    const { updates } = dataOf<DirectoryPage>(await listing(owner, did))
    expect(updates.map(({ seq, statement }) => [seq, statement])).toEqual([[2, rotation]])
  })
})

describe('statements of a root key', () => {
  it('are updates of the account, each once and in the order of the call', async () => {
    const owner = await caller()
    const { did } = owner.identity
    const statements = [1, 2].map((epoch) => ({ type: 'svc/rotation-request/v1', did, epoch }))
    const record = () => accountOf(owner).record(labelOf(did), statements)
    await Promise.all(Array.from({ length: 20 }, record))
    const { package: found } = await publishedDevice(owner, { count: 1 })
    await record()
    const { updates, seq } = dataOf<DirectoryPage>(await listing(owner, did))
    expect([seq, updates.map(({ statement }) => statement)]).toEqual([3, [...statements, found.credential.statement]])
    await logged(owner)
    const visit = await new LogAuditor(transport(), BASE, LIST_KEYS).safeFollow(null)
    if (!visit.ok) throw visit.error
    const own = visit.value.updates.filter(({ label }) => label === labelOf(did))
    expect(own.map((update) => update.seq)).toEqual([1, 2, 3])
    expect((await owner.client.keyDirectory.list(did)).seq).toBe(3)
  })
})

describe('a package whose root key was replaced', () => {
  it('is listed as a statement as soon as the rotation is an update, and keeps nobody from reading the list', async () => {
    const owner = await caller()
    const { did } = owner.identity
    const { device } = await publishedDevice(owner, { count: 1 })
    const reader = await caller()
    expect((await reader.client.keyDirectory.list(did)).devices).toHaveLength(1)
    const rotation = { type: 'svc/rotation-request/v1', did, epoch: 1 }
    await accountOf(owner).record(labelOf(did), [rotation])
    const { updates } = dataOf<DirectoryPage>(await listing(reader, did))
    expect(updates.map(({ package: found, statement }) => [found, statement])).toMatchObject([
      [null, { type: 'svc/device-credential/v1', deviceId: device.deviceId }],
      [null, { type: 'svc/rotation-request/v1' }],
    ])
    expect(await reader.client.keyDirectory.list(did)).toMatchObject({ seq: 2, devices: [] })
  })
})

describe('a cursor', () => {
  it('of another list, or one that was changed, is refused', async () => {
    const { owner } = await busy()
    const { did } = owner.identity
    const good = encodeCursor(['updates', labelOf(did)], 2)
    const page = dataOf<DirectoryPage>(await listing(owner, did, good))
    expect(page.updates.map(({ seq }) => seq)).toEqual([3, 4, 5])
    const other = encodeCursor(['updates', labelOf(`did:svc:${'A'.repeat(32)}`)], 2)
    for (const cursor of [other, `${good}A`, good.slice(1), encodeCursor(['updates', labelOf(did)], 'x')]) {
      expectRefusal(await listing(owner, did, cursor), 'invalid_cursor')
    }
    const { deviceId } = page.updates.at(-1)!.package!
    expectRefusal(await call(owner, 'GET', `${pathOf(did, deviceId, '/prekeys')}?cursor=${good}`), 'invalid_cursor')
  })
})

describe('a full bundle of entries', () => {
  it('never changes, and says so', async () => {
    await opened()
    await submit(leavesOf(50_000, 300))
    const { size } = await log().head(LOG)
    const of = async (bundle: number, query = `?log=${encodeURIComponent(LOG)}`) => {
      const { headers, body } = await get(`entries/${bundle}${query}`)
      return [headers.get('cache-control'), (body as { data: { size: number } }).data.size]
    }
    expect(await of(0)).toEqual(['public, max-age=31536000, immutable', 256])
    // The open log is another one after a roll.
    expect(await of(0, '')).toEqual(['public, max-age=5, must-revalidate', 256])
    expect(await of(Math.floor(size / 256))).toEqual(['public, max-age=5, must-revalidate', size])
  })
})
