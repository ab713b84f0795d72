import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { modelFiles, runtimeFiles } from '@svc/platform/provision-files'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { committedConfigs } from './account.ts'
import { isLooseCall } from './deploy-order.ts'
import { LocalAccount } from './local-account/local-account.fixture.ts'
import type { Location } from './location.ts'
import { changeSecret, describeProvisioning, finishChange, provision, resourcesOf } from './provision.ts'
import { keptNameOf, secretNamesOf } from './secrets.ts'
import { BUCKET_LOCKS, LIFECYCLES } from './settings/bucket-locks.ts'

const configs = committedConfigs()
let account: LocalAccount

beforeEach(async () => {
  account = await LocalAccount.open()
  mkdirSync(join(account.folder, 'runtime'))
  mkdirSync(join(account.folder, 'models'))
  writeFileSync(join(account.folder, 'runtime/ort-wasm-simd.wasm'), 'wasm')
  writeFileSync(join(account.folder, 'models/image-1.onnx'), 'weights')
})
afterEach(() => {
  // Whatever a command did.
  const values = existsSync(account.secretsPath) ? Object.values(keptSecrets()) : []
  for (const value of values) expect(account.printed.join('\n')).not.toContain(value)
  return account.close()
})

const keptSecrets = () => JSON.parse(readFileSync(account.secretsPath, 'utf8')) as Record<string, string>

const provisioning = () => ({
  ...account.provisioning,
  fileSets: [
    runtimeFiles({ folder: join(account.folder, 'runtime'), version: '1.2.3' }),
    modelFiles(join(account.folder, 'models')),
  ],
})
/** Adds every Worker, as after its first upload. */
function uploadAll(): void {
  const { secrets } = account
  for (const [worker, config] of configs) {
    const script = account.fake.script(`${config.name}-staging`)
    for (const name of secretNamesOf(worker, config))
      if (secrets.has(keptNameOf(worker, name))) script.secrets.set(name, secrets.get(keptNameOf(worker, name)) ?? '')
  }
}
const internalSecrets = () =>
  [...account.fake.scripts.values()].flatMap(({ secrets }) => secrets.get('SVC_INTERNAL_SECRET') ?? [])

describe('scripts/provision', () => {
  it('creates what the Workers bind to, keeps the ids, and changes nothing the second time', async () => {
    await provision(provisioning(), account.api)
    const { resources } = account.deployment
    for (const [name, { id }] of account.fake.databases) expect(resources.d1[name]).toBe(id)
    for (const [title, id] of account.fake.namespaces) expect(resources.kv[title]).toBe(id)
    const made =
      account.fake.databases.size + account.fake.namespaces.size + account.fake.buckets.size + account.fake.indexes.size
    expect(made).toBe(resourcesOf(provisioning()).length)
    expect([...account.fake.databases.keys(), ...account.fake.buckets].every((name) => name.endsWith('-staging'))).toBe(
      true,
    )
    const [file, secrets] = [readFileSync(account.file, 'utf8'), readFileSync(account.secretsPath, 'utf8')]

    account.fake.changes.length = 0
    await provision(provisioning(), account.api)
    expect(account.fake.changes).toEqual([])
    expect(readFileSync(account.file, 'utf8')).toBe(file)
    expect(readFileSync(account.secretsPath, 'utf8')).toBe(secrets)
  })

  it('finds its resources among hundreds, not a neighbour with a similar name', async () => {
    for (let other = 0; other < 250; other += 1)
      account.fake.namespaces.set(`other-${other}`, String(other).padStart(32, 'e'))
    account.fake.databases.set('svc-core-staging-of-old', { id: 'not-ours', sqlite: undefined as never })
    await provision(provisioning(), account.api)
    expect(account.deployment.resources.d1['svc-core-staging']).not.toBe('not-ours')
    account.fake.changes.length = 0
    await provision(provisioning(), account.api)
    expect(account.fake.changes).toEqual([])
  })

  it.each(['POST /d1', 'POST /storage', 'POST /r2'])('continues after an interruption at %s', async (failing) => {
    account.fake.failing = failing
    await expect(provision(provisioning(), account.api)).rejects.toThrow('Cloudflare answered 500 to POST')
    account.fake.failing = null
    await provision(provisioning(), account.api)
    const names = resourcesOf(provisioning()).length
    expect(account.fake.changes.filter((change) => change.startsWith('POST')).length).toBe(names)
  })

  it('uploads what provenance serves once, and the manifest last', async () => {
    await provision(provisioning(), account.api)
    const bucket = 'svc-provenance-blobs-staging'
    expect([...account.fake.objects.keys()]).toEqual(
      [
        'ort/1.2.3/ort-wasm-simd.wasm',
        'ort/1.2.3/manifest.json',
        'models/files/image-1.onnx',
        'models/manifest.json',
      ].map((key) => `${bucket}/${key}`),
    )
    expect(account.fake.objects.get(`${bucket}/models/files/image-1.onnx`)?.toString()).toBe('weights')
    expect(account.printed).toContain(`models/manifest.json of ${bucket}: 1 uploaded, 0 unchanged`)
    account.fake.changes.length = 0
    await provision(provisioning(), account.api)
    expect(account.fake.changes).toEqual([])
    expect(account.printed).toContain(`ort/1.2.3/manifest.json of ${bucket}: 0 uploaded, 1 unchanged`)
    writeFileSync(join(account.folder, 'models/image-1.onnx'), 'other')
    await expect(provision(provisioning(), account.api)).rejects.toThrow('image-1.onnx already exists with other bytes')
    expect(account.fake.changes).toEqual([])
  })

  it.each(['GET', 'PUT'])('names the bucket when its %s fails', async (method) => {
    account.fake.failing = `${method} /r2/buckets/svc-provenance-blobs-staging/objects/`
    await expect(provision(provisioning(), account.api)).rejects.toThrow(
      new RegExp(`answered 500 to ${method} /r2/buckets/svc-provenance-blobs-staging/objects/ort/1.2.3/`),
    )
    expect([...account.fake.objects.keys()]).toEqual([])
    account.fake.failing = null
    await provision(provisioning(), account.api)
    expect(account.fake.objects.size).toBe(4)
  })

  it('refuses an id that differs from the account’s', async () => {
    await provision(provisioning(), account.api)
    for (const [name, database] of account.fake.databases)
      account.fake.databases.set(name, { ...database, id: `${database.id}-other` })
    await expect(provision(provisioning(), account.api)).rejects.toThrow('has a different id')
  })

  it('keeps secrets in a file that only its owner can read, and prints none', async () => {
    // Before the Workers are there, when they are, and when they have all.
    await provision(provisioning(), account.api)
    uploadAll()
    await provision(provisioning(), account.api)
    await provision(provisioning(), account.api)
    for (const said of ['will be uploaded with the Worker', 'uploaded', 'already set'])
      expect(account.printed.join('\n')).toContain(said)
    expect(statSync(account.secretsPath).mode & 0o777).toBe(0o600)
    expect(Object.keys(keptSecrets()).length).toBeGreaterThan(4)
    expect(internalSecrets().length).toBeGreaterThanOrEqual(5)
    expect(new Set(internalSecrets()).size).toBe(1)
  })

  it('never overwrites a secret, at Cloudflare or in the file', async () => {
    await provision(provisioning(), account.api)
    uploadAll()
    account.fake.script('svc-core-staging').secrets.set('RECEIPT_SEED', 'set by hand')
    account.fake.changes.length = 0
    await provision(provisioning(), account.api)
    expect(account.fake.changes).toEqual([])
    expect(account.fake.script('svc-core-staging').secrets.get('RECEIPT_SEED')).toBe('set by hand')
  })

  it('sends the later versions of a seed that are kept, and makes none', async () => {
    await provision(provisioning(), account.api)
    expect(Object.keys(keptSecrets()).filter((name) => /_[2-9]$/.test(name))).toEqual([])
    const later = { CLAIMANTS_SEED_2: '2d'.repeat(32), CODES_SEED_12: '2c'.repeat(32), CONSENT_SEED_2: '2e'.repeat(32) }
    writeFileSync(account.secretsPath, JSON.stringify({ ...keptSecrets(), ...later }), { mode: 0o600 })
    uploadAll()
    await provision(provisioning(), account.api)
    const { scripts } = account.fake
    const having = (name: string) =>
      [...scripts].filter(([, { secrets }]) => secrets.has(name)).map(([script]) => script)
    expect(having('CLAIMANTS_SEED_2')).toEqual(['svc-provenance-staging'])
    expect(having('CODES_SEED_12')).toEqual(['svc-core-staging'])
    expect(having('CONSENT_SEED_2')).toEqual([])
  })

  it('makes a seed of records for each Worker, and takes none that two of them share', async () => {
    await provision(provisioning(), account.api)
    uploadAll()
    const seeds = [...account.fake.scripts.values()].flatMap(({ secrets }) => secrets.get('RECORDS_SEED') ?? [])
    expect(seeds).toHaveLength(6)
    expect(new Set(seeds).size).toBe(6)
    const kept = keptSecrets()
    const save = (values: object) => writeFileSync(account.secretsPath, JSON.stringify(values), { mode: 0o600 })
    save({ ...kept, 'did.RECORDS_SEED_2': kept['core.RECORDS_SEED'] })
    const shared = 'has the same seed as core.RECORDS_SEED and as did.RECORDS_SEED_2'
    await expect(provision(provisioning(), account.api)).rejects.toThrow(shared)
    // From before each had its own.
    save({ ...kept, RECORDS_SEED: 'ab'.repeat(32) })
    await expect(provision(provisioning(), account.api)).rejects.toThrow('has RECORDS_SEED for all Workers')
    save({ ...kept, 'did.RECORDS_SEED_2': '2f'.repeat(32) })
    await provision(provisioning(), account.api)
    const having = [...account.fake.scripts].filter(([, { secrets }]) => secrets.has('RECORDS_SEED_2'))
    expect(having.map(([script]) => script)).toEqual(['svc-did-staging'])
  })

  it('makes a bucket of records for each Worker', () => {
    const buckets = [...configs.values()].flatMap(({ r2_buckets = [] }) =>
      r2_buckets.filter(({ binding }) => binding === 'RECORDS').map(({ bucket_name }) => bucket_name),
    )
    expect(buckets).toHaveLength(6)
    expect(new Set(buckets).size).toBe(6)
  })

  it('makes a bucket of erasure keys for each of them, which is neither locked nor kept by age', () => {
    const bucketsOf = (wanted: string) =>
      [...configs.values()].flatMap(({ name, r2_buckets = [] }) =>
        r2_buckets.filter(({ binding }) => binding === wanted).map(({ bucket_name }) => [name, bucket_name] as const),
      )
    const keys = bucketsOf('ERASURE_KEYS')
    expect(keys.map(([name]) => name)).toEqual(bucketsOf('RECORDS').map(([name]) => name))
    expect(keys.map(([, bucket]) => bucket)).toEqual(keys.map(([name]) => `${name}-erasure-keys`))
    for (const [, bucket] of keys) expect([BUCKET_LOCKS[bucket], LIFECYCLES[bucket]]).toEqual([undefined, undefined])
  })

  it('generates no second internal secret while some Workers have an unknown one', async () => {
    await provision(provisioning(), account.api)
    uploadAll()
    account.fake.script('svc-did-staging').secrets.delete('SVC_INTERNAL_SECRET')
    rmSync(account.secretsPath)
    await expect(provision(provisioning(), account.api)).rejects.toThrow('restore that file')
    expect(account.fake.script('svc-did-staging').secrets.has('SVC_INTERNAL_SECRET')).toBe(false)
  })

  it('prints in a dry run what it would do, and makes no request', () => {
    describeProvisioning(provisioning())
    expect(account.printed).toContain('D1 database svc-core-staging: would be created unless it exists')
    expect(
      account.printed.some((line) =>
        line.startsWith('secret SVC_INTERNAL_SECRET of svc-pay-staging: would be generated'),
      ),
    ).toBe(true)
    const file = 'models/manifest.json of svc-provenance-blobs-staging: 1 missing would be uploaded, 0.0 MB'
    expect(account.printed).toContain(file)
    expect(account.fake.changes).toEqual([])
  })

  it('prints no secret in a dry run that finds it in the file', async () => {
    uploadAll()
    await provision(provisioning(), account.api)
    const before = account.printed.length
    describeProvisioning(provisioning())
    const printed = account.printed.slice(before).join('\n')
    const { SVC_INTERNAL_SECRET, ...others } = JSON.parse(readFileSync(account.secretsPath, 'utf8')) as Record<
      string,
      string
    >
    expect(printed).toContain('secret SVC_INTERNAL_SECRET of svc-pay-staging: would be sent from')
    for (const value of [SVC_INTERNAL_SECRET, ...Object.values(others)]) expect(printed).not.toContain(value)
  })
})

describe('a change of the internal secret', () => {
  it('never lets a caller send a secret that its callee rejects', async () => {
    await provision(provisioning(), account.api)
    uploadAll()
    const before = internalSecrets()[0]
    const seen: string[] = []
    const settle = async () => {
      for (const [worker, config] of configs) {
        const caller = account.fake.script(`${config.name}-staging`).secrets.get('SVC_INTERNAL_SECRET')
        // A call from an outbox carries no secret: the binding's props admit it.
        const called = (config.services ?? []).filter(({ service }) => !isLooseCall(config.name, service))
        for (const { service } of caller === undefined ? [] : called) {
          const { secrets } = account.fake.script(`${service}-staging`)
          const taken = [secrets.get('SVC_INTERNAL_SECRET'), secrets.get('SVC_INTERNAL_SECRET_PREVIOUS')]
          seen.push(taken.includes(caller) ? 'taken' : `${worker} is refused by ${service}`)
        }
      }
    }
    await changeSecret({ ...provisioning(), settle }, account.api)
    expect(new Set(seen)).toEqual(new Set(['taken']))
    expect(new Set(internalSecrets()).size).toBe(1)
    expect(internalSecrets()[0]).not.toBe(before)
    await finishChange(provisioning(), account.api)
    for (const { secrets } of account.fake.scripts.values())
      expect(secrets.has('SVC_INTERNAL_SECRET_PREVIOUS')).toBe(false)
    expect(account.secrets.has('SVC_INTERNAL_SECRET_PREVIOUS')).toBe(false)
  })

  it('continues with the same secrets after an interruption', async () => {
    await provision(provisioning(), account.api)
    uploadAll()
    const settle = async () => {}
    account.fake.failing = 'PUT /workers/scripts/svc-keys-staging'
    await expect(changeSecret({ ...provisioning(), settle }, account.api)).rejects.toThrow('500')
    account.fake.failing = null
    const half = readFileSync(account.secretsPath, 'utf8')
    await changeSecret({ ...provisioning(), settle }, account.api)
    expect(readFileSync(account.secretsPath, 'utf8')).toBe(half)
    expect(new Set(internalSecrets()).size).toBe(1)
  })
})

describe('a change of the seed of invitations', () => {
  it('gives core a new one and keeps the old one beside it, until the change is finished', async () => {
    await provision(provisioning(), account.api)
    uploadAll()
    const { secrets } = account.fake.script('svc-core-staging')
    const [before, internal] = [secrets.get('INVITE_SEED'), secrets.get('SVC_INTERNAL_SECRET')]
    expect(before).toMatch(/^[0-9a-f]{64}$/)
    const change = () => ({ ...provisioning(), secret: 'INVITE_SEED' as const, settle: async () => {} })
    await changeSecret(change(), account.api)
    await changeSecret(change(), account.api)
    expect(secrets.get('INVITE_SEED')).toMatch(/^[0-9a-f]{64}$/)
    expect(secrets.get('INVITE_SEED')).not.toBe(before)
    expect(secrets.get('INVITE_SEED_PREVIOUS')).toBe(before)
    await finishChange(change(), account.api)
    expect(secrets.has('INVITE_SEED_PREVIOUS')).toBe(false)
    expect(account.secrets.has('INVITE_SEED_PREVIOUS')).toBe(false)
    expect(secrets.get('SVC_INTERNAL_SECRET')).toBe(internal)
    for (const [name, script] of account.fake.scripts)
      expect(script.secrets.has('INVITE_SEED')).toBe(name === 'svc-core-staging')
  })
})

describe('the place of a deployment', () => {
  const placed = async (location: Partial<Location>) => {
    const path = account.file
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), location }))
    const { location: read } = account.deployment
    const there = account.apiIn(read)
    await provision(provisioning(), there)
    const [database, bucket] = ['svc-core-staging', 'svc-core-blobs-staging'].map((name) =>
      account.fake.places.get(name),
    )
    return { database, bucket }
  }

  it('is left to Cloudflare unless it is set', async () => {
    expect(await placed({})).toEqual({ database: {}, bucket: {} })
  })

  it('is asked for when databases and buckets are created', async () => {
    expect(await placed({ jurisdiction: 'eu' })).toEqual({
      database: { jurisdiction: 'eu' },
      bucket: { jurisdiction: 'eu' },
    })
  })

  it('is near a location that is hinted at', async () => {
    expect(await placed({ locationHint: 'weur' })).toEqual({
      database: { primary_location_hint: 'weur' },
      bucket: { locationHint: 'weur' },
    })
  })

  it.each([
    [{ jurisdiction: 'us' }, 'jurisdiction must be one of none, eu, fedramp'],
    [{ locationHint: 'mars' }, 'locationHint must be empty or one of wnam, enam, weur, eeur, apac, oc'],
    [{ jurisdiction: 'eu', locationHint: 'weur' }, 'a jurisdiction leaves no choice of locationHint'],
  ])('is not %o', async (location, fault) => {
    await expect(placed(location as Partial<Location>)).rejects.toThrow(`deployments/staging.json: location: ${fault}.`)
  })
})
