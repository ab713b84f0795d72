/** What is left of the name of a content once nothing is declared for it. */
import { env } from 'cloudflare:workers'
import { identifierHash } from '@svc/protocol/consent/identifiers'
import { expect, it } from 'vitest'
import { caller, creation, deletion, freshHash, get, put, rootKey, withdrawal } from '../harness.ts'
import { rowsIn, storeFor } from '../stores.fixture.ts'

type Owner = ReturnType<typeof rootKey>
const owner = async () => rootKey(await caller())

/** Every row of the tables that have names, as text. */
async function storedOf(hash: string, owners: readonly Owner[]): Promise<string> {
  const store = storeFor(hash)
  const tables = ['records', 'acts', 'claims', 'untold'].map((table) => rowsIn(store, `SELECT * FROM ${table}`))
  const lists = owners.map(({ did }) => rowsIn(env.CONSENT_CREATORS.getByName(did), 'SELECT * FROM holdings'))
  return JSON.stringify(await Promise.all([...tables, ...lists]))
}

it('a revoked identifier is in no store and no list, and its history is for those who know it', async () => {
  const [by, hash] = [await owner(), freshHash()]
  await put(await creation(by, hash))
  expect(await storedOf(hash, [by])).toContain(hash)
  await put(await deletion(by, hash))
  const stored = await storedOf(hash, [by])
  expect(stored).not.toContain(hash)
  expect(stored).toContain(identifierHash(hash))
  const history = (await get(`/api/v1/consent/${encodeURIComponent(hash)}/history`)).body
  expect(history).toMatchObject({ hash, entries: [{ action: 'create' }, { action: 'delete' }] })
  // Its creator can declare for it again.
  expect((await put(await creation(by, hash))).status).toBe(200)
  expect((await get(`/api/v1/consent/by-creator/${by.did}`)).body).toMatchObject({ items: [{ hash }] })
})

it('a claim keeps the identifier for as long as it stands', async () => {
  const [by, claimant, hash] = [await owner(), await owner(), freshHash()]
  await put(await creation(by, hash))
  await put(await creation(claimant, hash))
  await put(await deletion(by, hash))
  expect(await rowsIn(env.CONSENT_CREATORS.getByName(by.did), 'SELECT content_hash FROM holdings')).toEqual([
    { content_hash: null },
  ])
  expect(await storedOf(hash, [claimant])).toContain(hash)
  await put(await withdrawal(claimant, hash))
  expect(await storedOf(hash, [by, claimant])).not.toContain(hash)
})
