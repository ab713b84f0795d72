import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, WORKER_NAMES } from '@svc/platform/workspace'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EXPORT_BUCKET } from '../databases/export-place.ts'
import { ACCOUNT, TOKEN } from '../local-account/fake-cloudflare.fixture.ts'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import type { Location } from '../location.ts'
import { provision } from '../provision.ts'
import { BUCKET_LOCKS } from './bucket-locks.ts'

let account: LocalAccount

beforeEach(async () => {
  account = await LocalAccount.open()
})
afterEach(() => account.close())

/** Provisions with a location, as an operator who edits the file and runs the command. */
async function provisionIn(location: Partial<Location>) {
  const file = JSON.parse(readFileSync(account.file, 'utf8')) as object
  writeFileSync(account.file, JSON.stringify({ ...file, location }))
  const api = account.apiIn(account.deployment.location)
  await provision(account.provisioning, api)
  return api
}

describe('what cannot be changed later', () => {
  it('is refused for a database, before another one is created', async () => {
    await provisionIn({ jurisdiction: 'eu' })
    const { size } = account.fake.databases
    await expect(provisionIn({})).rejects.toThrow(
      /^The (database|bucket) svc-[a-z-]+-staging is in the jurisdiction eu, not none\. That cannot be changed/,
    )
    expect(account.fake.databases.size).toBe(size)
  })

  it('is refused for a bucket: one of the same name in another jurisdiction would be empty', async () => {
    await provisionIn({})
    for (const name of account.fake.databases.keys()) account.fake.places.set(name, { jurisdiction: 'eu' })
    const buckets = account.fake.buckets.size
    account.fake.changes.length = 0
    await expect(provisionIn({ jurisdiction: 'eu' })).rejects.toThrow('is in the jurisdiction none, not eu')
    expect([account.fake.buckets.size, account.fake.changes.filter((change) => change.startsWith('POST'))]).toEqual([
      buckets,
      [],
    ])
  })

  it('is refused for objects, by the jurisdiction that a Worker was deployed with', async () => {
    await provisionIn({})
    account.fake.upload('svc-keys-staging', 'tag', [{ name: 'JURISDICTION', type: 'plain_text', text: 'eu' }])
    await expect(provisionIn({})).rejects.toThrow(
      'The objects of svc-keys-staging are in the jurisdiction eu, not none.',
    )
  })

  it('is said for a location that was only hinted at', async () => {
    await provisionIn({ locationHint: 'weur' })
    expect(account.printed.filter((line) => line.startsWith('  in '))).toEqual([])
    await provisionIn({ locationHint: 'apac' })
    expect(account.printed).toEqual(expect.arrayContaining(['  in weur, not apac']))
  })
})

describe('read replication', () => {
  const modes = () =>
    Object.fromEntries(
      [...account.fake.databases.keys()].map((name) => [name, account.fake.replication.get(name) ?? 'disabled']),
    )

  it('is set for the database whose lists anybody reads, and for no other', async () => {
    await provisionIn({})
    const { 'svc-core-staging': core, ...others } = modes()
    expect(core).toBe('auto')
    expect(new Set(Object.values(others))).toEqual(new Set(['disabled']))
    account.fake.changes.length = 0
    await provisionIn({})
    expect(account.fake.changes).toEqual([])
  })

  it('is turned off where the location says so, and where nothing is read from a copy', async () => {
    await provisionIn({})
    account.fake.replication.set('svc-auth-staging', 'auto')
    await provisionIn({ readReplication: 'disabled' })
    expect(new Set(Object.values(modes()))).toEqual(new Set(['disabled']))
    expect(account.printed).toContain('  read replication: disabled')
  })
})

describe('bucket locks', () => {
  it('are set once, beside the rules of an operator, and set again if one is gone', async () => {
    const api = await provisionIn({})
    const own = { id: 'mine', enabled: true, prefix: 'models/', condition: { type: 'Indefinite' } } as const
    const set = await api.lockRules('svc-core-blobs-staging')
    expect(set).toEqual(BUCKET_LOCKS['svc-core-blobs'])
    await api.putLockRules('svc-core-blobs-staging', [own, ...set.slice(1)])
    await provisionIn({})
    expect(await api.lockRules('svc-core-blobs-staging')).toEqual([own, ...set.slice(1), set[0]])
    account.fake.changes.length = 0
    await provisionIn({})
    expect(account.fake.changes).toEqual([])
    expect(account.printed.at(-1)).toBeDefined()
  })

  it('refuse to delete and to overwrite a tile, and nothing else', async () => {
    const api = await provisionIn({})
    const bucket = 'svc-keys-tiles-staging'
    const remove = async (key: string) => {
      const url = `${account.fake.url}/accounts/${ACCOUNT}/r2/buckets/${bucket}/objects/${key}`
      return (await fetch(url, { method: 'DELETE', headers: { authorization: `Bearer ${TOKEN}` } })).status
    }
    for (const key of ['logs/x/tile/0/0', 'log-edges/x/tile/0/1.p/3'])
      await api.writeObject(bucket, key, new Uint8Array(1))
    await expect(api.writeObject(bucket, 'logs/x/tile/0/0', new Uint8Array(2))).rejects.toThrow('answered 403')
    await api.writeObject(bucket, 'log-edges/x/tile/0/1.p/3', new Uint8Array(2))
    expect([await remove('logs/x/tile/0/0'), await remove('log-edges/x/tile/0/1.p/3')]).toEqual([403, 200])
  })

  it('lock what the page on retention keeps, and what is deleted only after the lock ends', () => {
    const page = readFileSync(join(ROOT, 'workers/docs/pages/developer/retention.md'), 'utf8')
    const rows = [...(page.split('\n## Object storage\n')[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (`.+) \|$/gm)]
    const kept = rows.flatMap(([, row = '']) => {
      const [prefixes = '', , deleted = ''] = row.split(' | ')
      const names = [...prefixes.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace(/\{.*/, ''))
      return names.map((name) => ({ name, isKept: deleted.startsWith('kept') && !deleted.startsWith('kept while') }))
    })
    const rules = Object.values(BUCKET_LOCKS).flat()
    const forever = new Set(
      rules.filter(({ condition }) => condition.type === 'Indefinite').map(({ prefix }) => prefix),
    )
    // The operator writes these, and takes back what it has published by mistake.
    const own = ['models/', 'ort/', 'log-lists/']
    const keptPrefixes = kept.filter(({ isKept }) => isKept).map(({ name }) => name)
    expect([...forever, ...own].toSorted()).toEqual([...new Set(keptPrefixes)].toSorted())
    expect(kept.filter(({ name, isKept }) => !isKept && forever.has(name))).toEqual([])
    // Forty days, by packages/log/src/upkeep.ts.
    expect(page).toContain('by an alarm after 40 days')
    const ages = rules.flatMap(({ condition }) => (condition.type === 'Age' ? [condition.maxAgeSeconds / 86_400] : []))
    for (const age of ages) expect(age > 30 && age < 40).toBe(true)
  })

  it('are for buckets that Workers have, and for that of exports', () => {
    const names = WORKER_NAMES.flatMap((worker) => account.configs.get(worker)?.r2_buckets ?? []).map(
      ({ bucket_name }) => bucket_name,
    )
    expect([...names, EXPORT_BUCKET]).toEqual(expect.arrayContaining(Object.keys(BUCKET_LOCKS)))
  })
})
