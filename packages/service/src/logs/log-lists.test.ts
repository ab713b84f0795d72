import { bytesOf } from '@svc/protocol/base/base64url'
import { signerOf } from '@svc/protocol/chain/chain.fixture'
import { labels, otherLabels } from '@svc/protocol/keys/account-labels.fixture'
import type { SignedLogList } from '@svc/protocol/merkle/log-list'
import { logListFiles } from '@svc/protocol/merkle/log-list-files'
import { firstLogList, nextLogList, openedLog, signLogList } from '@svc/protocol/merkle/log-list-signing'
import { beforeAll, describe, expect, it } from 'vitest'
import { seedVersionsOf } from '../app/seed-versions.ts'
import { configuredLog, type LogConfig, LogSigners, namespaceOf } from './log-config.ts'
import { LogLists } from './log-lists.ts'

const REALM = 'https://core.test'
const CONFIG = {
  REALMS: [REALM] as [string],
  LOG_PERIOD: '2027a',
  LOG_KEY_VERSION: 1,
  LOG_NAMESPACE: '',
} satisfies LogConfig
const LOG = configuredLog(CONFIG, 'transparency')
const NOW = 1_790_000_000_000
const YEAR = 365 * 24 * 3_600_000
const { ownerPublicKey, sign } = await signerOf(0x21)
const signer = { publicKey: bytesOf(ownerPublicKey), sign }
const keyOf = (seeds: Readonly<Record<string, string | undefined>>, log = LOG, keyVersion = 1) =>
  new LogSigners(seedVersionsOf(seeds, 'LOG_SEED'), CONFIG.REALMS).of({ log, keyVersion }).publicKey(0)
const LOG_SEED = '11'.repeat(32)
const logKey = await keyOf({ LOG_SEED })

/** A bucket in memory: the real one is used in the Workers' tests. */
function bucketOf(): R2Bucket & { fail: boolean } {
  const stored = new Map<string, string>()
  const bucket = {
    fail: false,
    put: async (key: string, value: string) => void stored.set(key, value),
    get: async (key: string) => {
      if (bucket.fail) throw new Error('canary: R2 is down')
      const value = stored.get(key)
      return value === undefined ? null : { text: async () => value, json: async () => JSON.parse(value) as unknown }
    },
  }
  return bucket as unknown as R2Bucket & { fail: boolean }
}

async function putLogList(bucket: R2Bucket, list: SignedLogList): Promise<void> {
  for (const { key, text } of logListFiles(list)) await bucket.put(key, text)
}

let first: SignedLogList
beforeAll(async () => {
  first = await signLogList(
    firstLogList({
      realm: REALM,
      labelKeyB64u: labels.publicKeyB64u,
      keys: { threshold: 1, publicKeysB64u: [ownerPublicKey] },
      logs: [openedLog({ log: LOG, series: 'transparency', publicKeyB64u: logKey ?? '' }, NOW)],
      issuedAt: NOW,
      validUntil: NOW + YEAR,
    }),
    [signer],
  )
})

const after = (list: SignedLogList, changed: Partial<Parameters<typeof nextLogList>[1]> = {}) =>
  signLogList(nextLogList(list, { issuedAt: NOW + 1, validUntil: NOW + YEAR, ...changed }), [signer])
const listsOf = (bucket: R2Bucket, key = logKey, log = LOG) =>
  new LogLists({ bucket, realms: [REALM], open: async () => ({ log, publicKeyB64u: key }) })
const NONE = { ok: false, error: { reason: 'log_list_unavailable' } }

describe('the names and keys of logs', () => {
  it('come from the realm, unless the deployment has moved since', () => {
    expect(LOG).toBe('https://core.test/transparency/2027a')
    expect(namespaceOf({ ...CONFIG, LOG_NAMESPACE: 'https://old.test' })).toBe('https://old.test')
  })

  it('need a seed', async () => {
    expect(await keyOf({ LOG_SEED: '' })).toBeNull()
    expect(await keyOf({ LOG_SEED: undefined, OTHER_LOG_SEED: LOG_SEED, LOG_SEEDS: LOG_SEED })).toBeNull()
    expect(await keyOf({ LOG_SEED }, configuredLog(CONFIG, 'anchors'))).not.toBe(logKey)
    expect(() => seedVersionsOf({ LOG_SEED_2: 'aa' }, 'LOG_SEED')).toThrow('LOG_SEED_2')
  })

  it('follow the version of the seed, so that each version can have another one', async () => {
    const seeds = { LOG_SEED, LOG_SEED_2: '12'.repeat(32), LOG_SEED_12: LOG_SEED }
    const keys = await Promise.all([1, 2, 12].map((version) => keyOf(seeds, LOG, version)))
    expect(new Set(keys).size).toBe(3)
    expect(keys[0]).toBe(logKey)
    expect(await keyOf(seeds, LOG, 3)).toBeNull()
  })
})

describe('log lists', () => {
  it('are none until the operator has stored one', async () => {
    const bucket = bucketOf()
    const lists = listsOf(bucket)
    expect(await lists.newest(NOW)).toEqual(NONE)
    await putLogList(bucket, first)
    expect(await lists.newest(NOW + 59_999)).toEqual(NONE)
    expect(await lists.newest(NOW + 60_000)).toEqual({ ok: true, value: first })
  })

  it('are served with those that lead to the newest', async () => {
    const bucket = bucketOf()
    const second = await after(first)
    const third = await after(second)
    for (const list of [first, second, third]) await putLogList(bucket, list)
    const versions = async (since: number | null) => {
      const found = await listsOf(bucket).answer(since, NOW)
      return found.ok ? [...found.value.earlier, found.value.list].map(({ statement }) => statement.version) : []
    }
    expect(await versions(null)).toEqual([3])
    expect(await versions(1)).toEqual([2, 3])
    expect(await versions(2)).toEqual([3])
    expect(await versions(3)).toEqual([3])
    expect(await versions(9)).toEqual([3])
  })

  it('are not served if they do not fit the service', async () => {
    const bucket = bucketOf()
    await putLogList(bucket, first)
    const other = await keyOf({ LOG_SEED: '12'.repeat(32) })
    expect(await listsOf(bucket, other).newest(NOW)).toEqual(NONE)
    expect(await listsOf(bucket, null).newest(NOW)).toEqual(NONE)
    expect(await listsOf(bucket, logKey, `${LOG}x`).newest(NOW)).toEqual(NONE)
    expect(await listsOf(bucket).newest(NOW + YEAR + 1)).toEqual(NONE)
    const open = async () => ({ log: LOG, publicKeyB64u: logKey })
    const proving = (labelKey: string | null) =>
      new LogLists({ bucket, realms: [REALM], open, labelKey: () => labelKey }).newest(NOW)
    expect(await proving(labels.publicKeyB64u)).toEqual({ ok: true, value: first })
    expect(await proving(otherLabels.publicKeyB64u)).toEqual(NONE)
    expect(await proving(null)).toEqual(NONE)
    const elsewhere = new LogLists({
      bucket,
      realms: ['https://b.test'],
      open: async () => ({ log: LOG, publicKeyB64u: logKey }),
    })
    expect(await elsewhere.newest(NOW)).toEqual(NONE)
  })

  it('are not served if they are not signed, malformed or lost', async () => {
    const bucket = bucketOf()
    const [signature] = (await after(first)).signatures
    await putLogList(bucket, { ...first, signatures: [signature!] })
    expect(await listsOf(bucket).newest(NOW)).toEqual(NONE)
    await bucket.put('log-lists/1.json', '{}')
    expect(await listsOf(bucket).newest(NOW)).toEqual(NONE)
    await bucket.put('log-lists/newest', '7')
    expect(await listsOf(bucket).newest(NOW)).toEqual(NONE)
    bucket.fail = true
    expect(await listsOf(bucket).newest(NOW)).toEqual(NONE)
  })
})
