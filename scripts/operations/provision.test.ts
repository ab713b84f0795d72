import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { modelFiles, runtimeFiles } from '../lib/provision-files.ts'
import { committedConfigs } from './account.ts'
import { CloudflareApi } from './cloudflare-api.ts'
import { DEPLOYMENTS, readDeployment } from './deployment.ts'
import { ACCOUNT, FakeCloudflare, TOKEN } from './fake-cloudflare.fixture.ts'
import {
  changeInternalSecret,
  describeProvisioning,
  finishInternalChange,
  provision,
  resourcesOf,
} from './provision.ts'
import { SecretsFile, secretNamesOf } from './secrets.ts'

const configs = committedConfigs()
let fake: FakeCloudflare
let api: CloudflareApi
let folder: string
let printed: string[]

beforeEach(async () => {
  fake = await FakeCloudflare.start()
  api = new CloudflareApi({ accountId: ACCOUNT, token: TOKEN, baseUrl: fake.url })
  folder = mkdtempSync(join(tmpdir(), 'svc-provision-'))
  cpSync(join(DEPLOYMENTS, 'staging.json'), join(folder, 'staging.json'))
  mkdirSync(join(folder, 'runtime'))
  mkdirSync(join(folder, 'models'))
  writeFileSync(join(folder, 'runtime/ort-wasm-simd.wasm'), 'wasm')
  writeFileSync(join(folder, 'models/image-1.onnx'), 'weights')
  printed = []
})
afterEach(async () => {
  await fake.stop()
  rmSync(folder, { recursive: true })
})

const secretsPath = () => join(folder, 'secrets/staging.json')
const provisioning = () => ({
  deployment: readDeployment('staging', folder),
  configs,
  secrets: SecretsFile.read(secretsPath()),
  fileSets: [runtimeFiles({ folder: join(folder, 'runtime'), version: '1.2.3' }), modelFiles(join(folder, 'models'))],
  print: (line: string) => printed.push(line),
})
/** Every Worker as it is after its first upload. */
function uploadAll(): void {
  const secrets = SecretsFile.read(secretsPath())
  for (const [worker, config] of configs) {
    const script = fake.script(`${config.name}-staging`)
    for (const name of secretNamesOf(worker, config))
      if (secrets.has(name)) script.secrets.set(name, secrets.get(name) ?? '')
  }
}
const internalSecrets = () =>
  [...fake.scripts.values()].flatMap(({ secrets }) => secrets.get('SVC_INTERNAL_SECRET') ?? [])

describe('scripts/provision', () => {
  it('makes what the Workers bind to, keeps the ids, and the second time changes nothing', async () => {
    await provision(provisioning(), api)
    const { resources } = readDeployment('staging', folder)
    for (const [name, { id }] of fake.databases) expect(resources.d1[name]).toBe(id)
    for (const [title, id] of fake.namespaces) expect(resources.kv[title]).toBe(id)
    const made = fake.databases.size + fake.namespaces.size + fake.buckets.size + fake.indexes.size
    expect(made).toBe(resourcesOf(provisioning()).length)
    expect([...fake.databases.keys(), ...fake.buckets].every((name) => name.endsWith('-staging'))).toBe(true)
    const [file, secrets] = [readFileSync(join(folder, 'staging.json'), 'utf8'), readFileSync(secretsPath(), 'utf8')]

    fake.changes.length = 0
    await provision(provisioning(), api)
    expect(fake.changes).toEqual([])
    expect(readFileSync(join(folder, 'staging.json'), 'utf8')).toBe(file)
    expect(readFileSync(secretsPath(), 'utf8')).toBe(secrets)
  })

  it('finds what it made among hundreds, and takes no neighbour for it', async () => {
    for (let other = 0; other < 250; other += 1) fake.namespaces.set(`other-${other}`, String(other).padStart(32, 'e'))
    fake.databases.set('svc-core-staging-of-old', { id: 'not-ours', sqlite: undefined as never })
    await provision(provisioning(), api)
    expect(readDeployment('staging', folder).resources.d1['svc-core-staging']).not.toBe('not-ours')
    fake.changes.length = 0
    await provision(provisioning(), api)
    expect(fake.changes).toEqual([])
  })

  it.each(['POST /d1', 'POST /storage', 'POST /r2'])('goes on where it was interrupted at %s', async (failing) => {
    fake.failing = failing
    await expect(provision(provisioning(), api)).rejects.toThrow('Cloudflare answered 500 to POST')
    fake.failing = null
    await provision(provisioning(), api)
    const names = resourcesOf(provisioning()).length
    expect(fake.changes.filter((change) => change.startsWith('POST')).length).toBe(names)
  })

  it('puts what provenance serves into its bucket once, and names it last', async () => {
    await provision(provisioning(), api)
    const bucket = 'svc-provenance-blobs-staging'
    expect([...fake.objects.keys()]).toEqual(
      [
        'ort/1.2.3/ort-wasm-simd.wasm',
        'ort/1.2.3/manifest.json',
        'models/files/image-1.onnx',
        'models/manifest.json',
      ].map((key) => `${bucket}/${key}`),
    )
    expect(fake.objects.get(`${bucket}/models/files/image-1.onnx`)?.toString()).toBe('weights')
    expect(printed).toContain(`models/manifest.json of ${bucket}: 1 put, 0 there`)
    fake.changes.length = 0
    await provision(provisioning(), api)
    expect(fake.changes).toEqual([])
    expect(printed).toContain(`ort/1.2.3/manifest.json of ${bucket}: 0 put, 1 there`)
    writeFileSync(join(folder, 'models/image-1.onnx'), 'other')
    await expect(provision(provisioning(), api)).rejects.toThrow('image-1.onnx is there with other bytes')
    expect(fake.changes).toEqual([])
  })

  it.each(['GET', 'PUT'])('says where files stay away when %s of the bucket fails', async (method) => {
    fake.failing = `${method} /r2/buckets/svc-provenance-blobs-staging/objects/`
    await expect(provision(provisioning(), api)).rejects.toThrow(
      new RegExp(`answered 500 to ${method} /r2/buckets/svc-provenance-blobs-staging/objects/ort/1.2.3/`),
    )
    expect([...fake.objects.keys()]).toEqual([])
    fake.failing = null
    await provision(provisioning(), api)
    expect(fake.objects.size).toBe(4)
  })

  it('refuses an id that is not that of the account', async () => {
    await provision(provisioning(), api)
    for (const [name, database] of fake.databases) fake.databases.set(name, { ...database, id: `${database.id}-other` })
    await expect(provision(provisioning(), api)).rejects.toThrow('has another id')
  })

  it('keeps secrets in a file for its owner alone, and prints none', async () => {
    uploadAll()
    await provision(provisioning(), api)
    expect(statSync(secretsPath()).mode & 0o777).toBe(0o600)
    const values = Object.values(JSON.parse(readFileSync(secretsPath(), 'utf8')) as Record<string, string>)
    expect(values.length).toBeGreaterThan(4)
    for (const value of values) expect(printed.join('\n')).not.toContain(value)
    expect(internalSecrets().length).toBeGreaterThanOrEqual(5)
    expect(new Set(internalSecrets()).size).toBe(1)
  })

  it('overwrites no secret, neither at Cloudflare nor in the file', async () => {
    await provision(provisioning(), api)
    uploadAll()
    fake.script('svc-core-staging').secrets.set('RECEIPT_SEED', 'set by hand')
    fake.changes.length = 0
    await provision(provisioning(), api)
    expect(fake.changes).toEqual([])
    expect(fake.script('svc-core-staging').secrets.get('RECEIPT_SEED')).toBe('set by hand')
  })

  it('makes no second internal secret where some Workers have one that it does not know', async () => {
    await provision(provisioning(), api)
    uploadAll()
    fake.script('svc-did-staging').secrets.delete('SVC_INTERNAL_SECRET')
    rmSync(secretsPath())
    await expect(provision(provisioning(), api)).rejects.toThrow('put that file in its place')
    expect(fake.script('svc-did-staging').secrets.has('SVC_INTERNAL_SECRET')).toBe(false)
  })

  it('says in a dry run what it would do, and asks nobody', () => {
    describeProvisioning(provisioning())
    expect(printed).toContain('D1 database svc-core-staging: would be looked up, and made if it is not there')
    expect(
      printed.some((line) => line.startsWith('secret SVC_INTERNAL_SECRET of svc-pay-staging: would be made')),
    ).toBe(true)
    const file =
      'models/manifest.json of svc-provenance-blobs-staging: 1 would be put there where it names none, 0.0 MB'
    expect(printed).toContain(file)
    expect(fake.changes).toEqual([])
  })
})

describe('a change of the internal secret', () => {
  it('leaves no moment in which a caller sends what its callee does not take', async () => {
    await provision(provisioning(), api)
    uploadAll()
    const before = internalSecrets()[0]
    const seen: string[] = []
    const settle = async () => {
      for (const [worker, config] of configs) {
        const caller = fake.script(`${config.name}-staging`).secrets.get('SVC_INTERNAL_SECRET')
        for (const { service } of caller === undefined ? [] : (config.services ?? [])) {
          const { secrets } = fake.script(`${service}-staging`)
          const taken = [secrets.get('SVC_INTERNAL_SECRET'), secrets.get('SVC_INTERNAL_SECRET_PREVIOUS')]
          seen.push(taken.includes(caller) ? 'taken' : `${worker} is refused by ${service}`)
        }
      }
    }
    await changeInternalSecret({ ...provisioning(), settle }, api)
    expect(new Set(seen)).toEqual(new Set(['taken']))
    expect(new Set(internalSecrets()).size).toBe(1)
    expect(internalSecrets()[0]).not.toBe(before)
    await finishInternalChange(provisioning(), api)
    for (const { secrets } of fake.scripts.values()) expect(secrets.has('SVC_INTERNAL_SECRET_PREVIOUS')).toBe(false)
    expect(SecretsFile.read(secretsPath()).has('SVC_INTERNAL_SECRET_PREVIOUS')).toBe(false)
  })

  it('goes on with the same secrets where it was interrupted', async () => {
    await provision(provisioning(), api)
    uploadAll()
    const settle = async () => {}
    fake.failing = 'PUT /workers/scripts/svc-keys-staging'
    await expect(changeInternalSecret({ ...provisioning(), settle }, api)).rejects.toThrow('500')
    fake.failing = null
    const half = readFileSync(secretsPath(), 'utf8')
    await changeInternalSecret({ ...provisioning(), settle }, api)
    expect(readFileSync(secretsPath(), 'utf8')).toBe(half)
    expect(new Set(internalSecrets()).size).toBe(1)
  })
})
