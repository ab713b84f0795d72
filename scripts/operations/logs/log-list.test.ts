import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mlDsa65 } from '@svc/pqc'
import { encodeBase64url } from '@svc/protocol/base/base64url'
import { fromHex } from '@svc/protocol/base/hash'
import { signStatement } from '@svc/protocol/base/statement'
import { labels } from '@svc/protocol/keys/account-labels.fixture'
import { CHECKPOINT_TYPES, type LogCheckpoint } from '@svc/protocol/merkle/checkpoint'
import { logKeySeed } from '@svc/protocol/merkle/log-key'
import { listedLog, type SignedLogList, signedLogListSchema } from '@svc/protocol/merkle/log-list'
import { verifyNextList, verifyPinnedList } from '@svc/protocol/merkle/log-list-chain'
import { LOG_SERIES, type LogSeries } from '@svc/protocol/merkle/log-name'
import { LogLists } from '@svc/service/log-lists'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { committedConfigs } from '../account.ts'
import { writeDeployment } from '../deployment.ts'
import { LocalAccount } from '../local-account/local-account.fixture.ts'
import { provision } from '../provision.ts'
import { configOf } from '../worker-deployment.ts'
import {
  derivedLog,
  describeDraft,
  firstDraft,
  type LogListDraft,
  listKeysOf,
  nextDraft,
  readDraft,
  signedDraft,
} from './draft.ts'
import { keepersOf, reported } from './keepers.ts'
import { deployedKeys, type KeyChange, keysAfter } from './listed-keys.ts'
import { newestLogList, publishLogList } from './publish-list.ts'
import { unlistedKeyFaults } from './unlisted-keys.ts'

const NOW = 1_790_000_000_000
const DAY_MS = 24 * 3_600_000
const VALIDITY = { now: NOW, days: 365 }
const REALM = 'https://core-staging.example.com'
const BUCKETS = ['svc-core-blobs-staging', 'svc-keys-tiles-staging']
const configs = committedConfigs()
const seeds = [0x31, 0x32, 0x33, 0x34].map((byte) => new Uint8Array(32).fill(byte))
const publicKeys = await Promise.all(seeds.map(async (seed) => encodeBase64url(await mlDsa65.publicKeyOf(seed))))
const KEYS = listKeysOf(publicKeys.slice(0, 3), 2)
const NEXT_KEYS = listKeysOf(publicKeys.slice(3), 1)

let account: LocalAccount

beforeEach(async () => {
  account = await LocalAccount.open()
  await provision(account.provisioning, account.api)
  account.printed.length = 0
  account.fake.changes.length = 0
})
afterEach(() => account.close())

const keepers = () => keepersOf({ deployment: account.deployment, configs })
const derived = (log: string) => derivedLog(keepers(), log, (name) => account.secrets.get(name))

/** A checkpoint as the Worker that keeps the log signs it; `logSeed` replaces the seed of the deployment. */
async function checkpointOf(log: string, logSeed?: string): Promise<LogCheckpoint> {
  const keeper = keepers().find(({ series }) => log.includes(`/${series}/`))!
  const seed = logKeySeed(fromHex(logSeed ?? account.secrets.get(keeper.seed)!), keeper.seedVersion, log)
  const head = { type: CHECKPOINT_TYPES[keeper.series], realm: REALM, log, size: 1, root: 'ab'.repeat(48) }
  const statement = await signStatement({ ...head, issuedAt: NOW }, (message) => mlDsa65.sign(seed, message))
  return { ...statement, publicKeyB64u: encodeBase64url(await mlDsa65.publicKeyOf(seed)) } as LogCheckpoint
}

/** The deployed Workers. Core answers with the checkpoint itself, the directory with an envelope. */
const workersWith =
  (transparency?: string, logSeed?: string, labelKeyB64u: unknown = labels.publicKeyB64u) =>
  async (url: string) => {
    const [anchors, directory] = keepers()
    if (url.startsWith(anchors!.origin)) return Response.json(await checkpointOf(anchors!.log))
    if (url.endsWith('/api/capabilities')) return Response.json({ transparency: { labelKeyB64u } })
    const checkpoint = await checkpointOf(transparency ?? directory!.log, logSeed)
    return Response.json({ success: true, data: { checkpoint, cosignatures: [] }, timestamp: NOW })
  }
const workers = workersWith()

const listed = (changed: Partial<KeyChange> = {}): KeyChange => ({
  ...deployedKeys({ deployment: account.deployment, configs }, []),
  ...changed,
})
const NO_KEYS = { services: [], beacon: [], witnesses: { threshold: 0, keys: [] } }
const first = async (keys = KEYS) => {
  const members = keysAfter(NO_KEYS, listed(), NOW)
  return firstDraft(keepers(), await reported(keepers(), workers), keys, members, VALIDITY)
}

async function signed(draft: LogListDraft, by: readonly number[]): Promise<LogListDraft> {
  let list = draft
  for (const index of by) list = await signedDraft(list, seeds[index]!)
  return list
}

const publish = (draft: LogListDraft, parts: object = {}) =>
  publishLogList(
    { deployment: account.deployment, configs, draft, now: NOW, print: account.print, send: workers, ...parts },
    account.api,
  )

const change = () => ({ announce: [], open: [], close: [], keys: undefined, listed: listed(), keepers: [] })
const after = async (changed: Partial<Parameters<typeof nextDraft>[1]> = {}, now = NOW + 1) =>
  nextDraft(await newestLogList(keepers(), account.api), { ...change(), ...changed }, { now, days: 365 })

/** The loader of the Worker that keeps a log, over its bucket: `/health` of the directory is `ok` if it finds a list. */
function loaderOf(series: LogSeries): LogLists {
  const { bucket: name, log, realms } = keepers().find((one) => one.series === series)!
  const bucket = {
    get: async (key: string) => {
      const found = account.fake.objects.get(`${name}/${key}`)?.toString()
      return found === undefined ? null : { text: async () => found, json: async () => JSON.parse(found) as unknown }
    },
  }
  const open = async () => ({ log, publicKeyB64u: (await checkpointOf(log)).publicKeyB64u })
  return new LogLists({ bucket, realms, open })
}

/** What a bucket serves as the newest list. */
function stored(bucket: string): SignedLogList {
  const version = account.fake.objects.get(`${bucket}/log-lists/newest`)!.toString()
  return signedLogListSchema.parse(
    JSON.parse(account.fake.objects.get(`${bucket}/log-lists/${version}.json`)!.toString()),
  )
}

describe('the first log list of a deployment', () => {
  it('is what both services accept: signed, current, with the log and key of each', async () => {
    for (const series of LOG_SERIES) expect((await loaderOf(series).newest(NOW)).ok).toBe(false)
    await publish(await signed(await first(), [0, 1]))
    for (const series of LOG_SERIES) expect((await loaderOf(series).newest(NOW)).ok).toBe(true)
    const { logs } = await reported(keepers(), workers)
    expect(logs.map(({ log }) => log)).toEqual([`${REALM}/anchors/2027a`, `${REALM}/transparency/2027a`])
    for (const [index, bucket] of BUCKETS.entries()) {
      const list = stored(bucket)
      expect((await verifyPinnedList(list, KEYS, [REALM], NOW)).ok).toBe(true)
      const { log, publicKeyB64u } = logs[index]!
      const tiles = [
        'https://core-staging.example.com/api/anchors/feed',
        'https://key-directory-staging.example.com/api/transparency',
      ][index]
      expect(listedLog(list.statement, log)).toMatchObject({ state: 'open', publicKeyB64u, tiles })
    }
    expect(account.deployment.logListKeys).toEqual(KEYS)
    const varsOf = (worker: 'core' | 'keys') =>
      Object.entries(configOf(worker, configs.get(worker)!, account.deployment, { sha: 'c0ffee' }).vars).filter(
        ([name]) => name.startsWith('LOG_LIST_'),
      )
    expect(new Map(varsOf('core')).get('LOG_LIST_THRESHOLD')).toBe(2)
    expect(varsOf('core').map(([, value]) => value)).toEqual(expect.arrayContaining(publicKeys.slice(0, 3)))
    expect(varsOf('keys')).toEqual([])
  })

  it('is written once, and the pointer last', async () => {
    const list = await signed(await first(), [0, 2])
    await publish(list)
    expect(account.fake.changes).toEqual(
      BUCKETS.flatMap((bucket) =>
        ['1.json', 'newest'].map((key) => `PUT /r2/buckets/${bucket}/objects/log-lists/${key}`),
      ),
    )
    account.fake.changes.length = 0
    const file = readFileSync(join(account.folder, 'staging.json'), 'utf8')
    await publish(list)
    expect(account.fake.changes).toEqual([])
    expect(readFileSync(join(account.folder, 'staging.json'), 'utf8')).toBe(file)
  })

  it('reaches the second bucket after an interruption', async () => {
    const list = await signed(await first(), [0, 1])
    account.fake.failing = `PUT /r2/buckets/${BUCKETS[1]}`
    await expect(publish(list)).rejects.toThrow('Cloudflare answered 500 to PUT')
    await expect(newestLogList(keepers(), account.api)).rejects.toThrow('have different lists')
    account.fake.failing = null
    await publish(list)
    expect(stored(BUCKETS[1]!)).toEqual(stored(BUCKETS[0]!))
  })

  it('is shown in a dry run, which writes nothing', async () => {
    await publish(await signed(await first(), [0, 1]), { isDryRun: true })
    expect(account.printed[0]).toMatch(/^log-lists\/1\.json of svc-core-blobs-staging: would be written, \d+ bytes$/)
    expect(account.fake.changes).toEqual([])
    expect(account.deployment.logListKeys).toBeNull()
  })

  it('goes from holder to holder as a file, without their seeds', async () => {
    const once = await signed(await first(), [0])
    const read = readDraft('list.json', JSON.parse(JSON.stringify(once)))
    expect(await signedDraft(read, seeds[0]!)).toMatchObject({ signatures: [{ publicKeyB64u: publicKeys[0] }] })
    expect(JSON.stringify(read)).not.toContain('31'.repeat(32))
    expect(describeDraft(read)[1]).toMatch(/^keys: 2 of (?:[0-9a-f]{16}(?:, )?){3}$/)
    expect(() => readDraft('list.json', { ...once, more: 1 })).toThrow('list.json is not a log list.')
    expect(() => readDraft('list.json', null)).toThrow('list.json is not a log list.')
  })
})

describe('a list is refused before anything is written', () => {
  afterEach(() => expect(account.fake.changes).toEqual([]))

  it.each([
    ['no signature', []],
    ['one of two signatures', [0]],
    ['a signature by a key that is not of the list', [0, 3]],
  ])('with %s', async (_, by) => {
    await expect(publish(await signed(await first(), by))).rejects.toThrow('it lacks signatures')
  })

  it('with other keys than the environment remembers', async () => {
    const pinned = { ...account.deployment, logListKeys: KEYS }
    const other = await signed(await first(NEXT_KEYS), [3])
    await expect(publish(other, { deployment: pinned })).rejects.toThrow(
      'deployments/staging.json has other logListKeys than the list.',
    )
  })

  it('with another key of a log than its Worker signs with', async () => {
    const send = workersWith(undefined, 'c7'.repeat(32))
    await expect(publish(await signed(await first(), [0, 1]), { send })).rejects.toThrow(
      `The list has another key for ${REALM}/transparency/2027a`,
    )
  })

  it('when a Worker writes another log, or none', async () => {
    const list = await signed(await first(), [0, 1])
    const send = workersWith(`${REALM}/transparency/2027b`)
    await expect(publish(list, { send })).rejects.toThrow(`does not name ${REALM}/transparency/2027b as open`)
    const foreign = workersWith('https://other.example/transparency/2027a')
    await expect(publish(list, { send: foreign })).rejects.toThrow('does not belong to this deployment')
    const silent = async () => Response.json({ success: false, error: 'log_unavailable' }, { status: 503 })
    await expect(publish(list, { send: silent })).rejects.toThrow('answered 503 and no checkpoint')
  })

  it('after its time, and as a later version of nothing', async () => {
    const list = await signed(await first(), [0, 1])
    await expect(publish(list, { now: NOW + 366 * DAY_MS })).rejects.toThrow('its time is over')
    const second = nextDraft(list, change(), VALIDITY)
    await expect(publish(await signed(second, [0, 1]))).rejects.toThrow('publish version 1 first')
  })
})

describe('the next log list', () => {
  beforeEach(async () => {
    await publish(await signed(await first(), [0, 1]))
    account.fake.changes.length = 0
  })

  it('announces a log, and leads on from the one before', async () => {
    const log = `${REALM}/transparency/2027b`
    const before = stored(BUCKETS[0]!)
    await publish(await signed(await after({ announce: [await derived(log)] }), [1, 2]))
    const next = stored(BUCKETS[1]!)
    expect(await verifyNextList(before, next, [REALM])).toMatchObject({ ok: true })
    const { publicKeyB64u } = await checkpointOf(log)
    expect(listedLog(next.statement, log)).toMatchObject({ state: 'announced', publicKeyB64u })
  })

  it('closes a log and opens the next one, once the Worker writes it', async () => {
    const [closing, opening] = ['2027a', '2027b'].map((period) => `${REALM}/transparency/${period}`)
    const rolled = { close: [await checkpointOf(closing!)], open: [await derived(opening!)] }
    const list = await signed(await after(rolled), [0, 1])
    await expect(publish(list)).rejects.toThrow(`does not name ${closing} as open`)
    await publish(list, { send: workersWith(opening) })
    expect(listedLog(stored(BUCKETS[1]!).statement, opening!)).toMatchObject({
      state: 'open',
      previous: { log: closing, size: 1 },
    })
  })

  it('has the keys that the deployment has, and ends those that it has no longer', async () => {
    const { services } = stored(BUCKETS[0]!).statement
    expect(services.map(({ publicKeyB64u }) => publicKeyB64u)).toEqual(
      account.deployment.serviceKeys.map(({ publicKeyB64u }) => publicKeyB64u),
    )
    const [gone, ...kept] = account.deployment.serviceKeys
    const [verifierKey, period] = [`core-staging.example.com/beacon/2027a+0a0b0c0d+AQID`, '2027a']
    const added = { services: kept, beacon: [verifierKey], witnesses: [publicKeys[3]!] }
    const second = await signed(await after({ listed: listed(added) }), [0, 1])
    await expect(publish(second)).rejects.toThrow(`The list lacks the key of ${gone!.service} for ${gone!.use}`)
    writeDeployment(account.deployment, { serviceKeys: kept })
    await publish(second)
    const third = await after({ listed: listed({ beacon: [], endedBeacons: [period] }) }, NOW + 2)
    await publish(await signed(third, [0, 1]))
    const { statement } = stored(BUCKETS[0]!)
    expect(statement.services.find(({ use }) => use === gone!.use)).toMatchObject({ validUntil: NOW + 1 })
    expect(statement.beacon).toEqual([{ verifierKey, alg: 'ed25519', validFrom: NOW + 1, validUntil: NOW + 2 }])
    expect(statement.witnesses).toMatchObject({ threshold: 0, keys: [{ validFrom: NOW + 1, validUntil: NOW + 2 }] })
    expect(await unlistedKeyFaults({ deployment: account.deployment, configs }, account.api)).toEqual([])
    const again = { ...account.deployment, serviceKeys: [gone!, ...kept] }
    expect(await unlistedKeyFaults({ deployment: again, configs }, account.api)).toEqual([
      expect.stringMatching(/^core: the log list does not have its key for receipt /),
    ])
    const unheld = { ...account.deployment, vars: { ...again.vars, core: { PUBLISHER_PUBLIC_KEY: publicKeys[2]! } } }
    expect(await unlistedKeyFaults({ deployment: { ...unheld, serviceKeys: kept }, configs }, account.api)).toEqual([
      expect.stringMatching(/^core: the log list does not have its key for publication /),
    ])
    await expect(after({ listed: listed({ threshold: 1 }) })).rejects.toThrow('Only 0 witnesses are configured')
    expect(describeDraft(third).join('\n')).toContain('beacon: core-staging.example.com/beacon/2027a+0a0b0c0d, ed25519')
  })

  it('has the keys of publisher and operator from the beginning, and a later one from its list on', () => {
    const [one, other] = publicKeys
    const heldBy = (publicKeyB64u: string) => [{ service: 'core', use: 'publication', publicKeyB64u }] as const
    const before = keysAfter(NO_KEYS, listed({ services: [], held: heldBy(one!) }), NOW)
    expect(before.services).toMatchObject([{ use: 'publication', publicKeyB64u: one, validFrom: 0, validUntil: null }])
    expect(keysAfter(before, listed({ services: [], held: heldBy(one!) }), NOW + 5).services).toEqual(before.services)
    expect(keysAfter(before, listed({ services: [], held: heldBy(other!) }), NOW + 5).services).toMatchObject([
      { publicKeyB64u: other, validFrom: NOW + 5, validUntil: null },
      { publicKeyB64u: one, validFrom: 0, validUntil: NOW + 5 },
    ])
  })

  it('has the new address of the files of every log after a host has changed', async () => {
    const moved = keepers().map(({ series, tiles }) => ({ series, tiles: tiles.replace('-staging', '-moved') }))
    const { logs } = (await after({ keepers: moved })).statement
    expect(logs.map(({ tiles }) => tiles)).toEqual(moved.map(({ tiles }) => tiles))
  })

  it('replaces the keys if a threshold of both has signed', async () => {
    const list = await after({ keys: NEXT_KEYS })
    for (const by of [[0, 1], [3], [0, 3]])
      await expect(publish(await signed(list, by))).rejects.toThrow('it lacks signatures')
    expect(account.fake.changes).toEqual([])
    await publish(await signed(list, [0, 1, 3]))
    expect(account.deployment.logListKeys).toEqual(NEXT_KEYS)
    await publish(await signed(await after(), [3]))
    expect(stored(BUCKETS[0]!).statement).toMatchObject({ version: 3, keys: NEXT_KEYS })
  })

  it('is refused if it skips a version, forks one or is older', async () => {
    const second = await signed(await after(), [0, 1])
    const third = await signed(nextDraft(second, change(), { now: NOW + 2, days: 365 }), [0, 1])
    await expect(publish(third)).rejects.toThrow('does not follow the newest version')
    const { statement } = await first()
    const fork = { statement: { ...statement, validUntil: NOW + 30 * DAY_MS }, signatures: [] }
    await expect(publish(await signed(fork, [0, 1]))).rejects.toThrow('does not follow the newest version')
    expect(account.fake.changes).toEqual([])
    await publish(second)
    await expect(publish(await signed(await first(), [0, 1]))).rejects.toThrow('a later version is there')
  })

  it('does not continue a list that somebody else put there', async () => {
    const planted = await signed(await first(NEXT_KEYS), [3])
    for (const bucket of BUCKETS)
      account.fake.objects.set(`${bucket}/log-lists/1.json`, Buffer.from(JSON.stringify(planted)))
    await expect(publish(await signed(await after(), [3]))).rejects.toThrow(
      'has other logListKeys than the list before',
    )
    expect(account.fake.changes).toEqual([])
  })

  it('changes only logs that it may', async () => {
    const [anchors] = keepers()
    const reopened = after({ open: [await derived(anchors!.log)] })
    await expect(reopened).rejects.toThrow('was opened before')
    await expect(after({ close: [await checkpointOf(`${REALM}/anchors/2027b`)] })).rejects.toThrow('is not open')
    await expect(after({ announce: [await derived(anchors!.log)] })).rejects.toThrow('is in version 1 already')
    await expect(derived('https://other.example/anchors/2027b')).rejects.toThrow('is not a name like')
  })
})
