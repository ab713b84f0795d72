import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, it } from 'vitest'
import { mapped } from '../account-map/map.fixture.ts'
import { caller } from '../harness.ts'
import { accountOf, labelOf, logged } from '../transparency/log.fixture.ts'
import { publishedDevice } from './directory.fixture.ts'

describe('an account that lost its storage', () => {
  it('gives no number again that the map has, and goes on after its head', async () => {
    const owner = await caller()
    await publishedDevice(owner, { count: 1 })
    await publishedDevice(owner, { count: 1 })
    await logged(owner)
    await mapped()
    const before = await accountOf(owner).head()
    expect(before.seq).toBe(2)
    await runInDurableObject(accountOf(owner), (_, { storage }) => storage.deleteAll())
    await evictDurableObject(accountOf(owner))
    const { package: published } = await publishedDevice(owner, { count: 1 })
    const after = await accountOf(owner).head()
    expect(after.seq).toBe(3)
    expect(after.head).not.toBe(before.head)
    await logged(owner)
    expect(await accountOf(owner).audit(2)).toMatchObject({ seq: 3, statementHashes: [expect.any(String)] })
    expect(published.leafId.startsWith(labelOf(owner.identity.did))).toBe(true)
  }, 60_000)

  it('begins at one when nothing was published', async () => {
    const owner = await caller()
    await publishedDevice(owner, { count: 1 })
    expect((await accountOf(owner).head()).seq).toBe(1)
  })
})
