import { WORKER_NAMES } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { committedConfigs } from './account.ts'
import { type Deployment, readDeployment } from './deployment.ts'
import { ANYWHERE } from './location.ts'
import { resourcesOf } from './provision.ts'
import { configOf, faultsOf, OBJECT_UPDATE_SECONDS, type RawConfig } from './worker-deployment.ts'

const configs = committedConfigs()
const staging = readDeployment('staging')
const production = readDeployment('production')
const built = (worker: (typeof WORKER_NAMES)[number], deployment: Deployment = staging) =>
  configOf(worker, configs.get(worker) as RawConfig, deployment, { sha: 'c0ffee' })

describe.each(WORKER_NAMES)('%s as it is deployed', (worker) => {
  const config = built(worker)

  it('is reachable at its own hosts only', () => {
    expect(config.routes).toEqual(staging.hosts[worker].map((pattern) => ({ pattern, custom_domain: true })))
    expect(config).toMatchObject({ workers_dev: false, preview_urls: false })
    expect(config.vars['PUBLIC_ORIGINS']).toEqual(staging.hosts[worker].map((host) => `https://${host}`))
  })

  it('signs for the canonical origin of core', () => {
    expect(config.vars['REALMS']).toEqual([`https://${staging.hosts.core[0]}`])
  })

  it('reports its build and environment', () => {
    expect(config.vars).toMatchObject({ ENVIRONMENT: 'staging', BUILD_SHA: 'c0ffee', COMMIT: 'c0ffee' })
  })

  it('has no value of a development machine and no secret among its variables', () => {
    expect(JSON.stringify(config.vars)).not.toMatch(/localhost|127\.0\.0\.1/)
    expect(Object.keys(config.vars).filter((name) => /SECRET|SEED(?!_VERSION)|TOKEN/.test(name))).toEqual([])
  })

  it('shares nothing with production within one account', () => {
    const namesOf = (one: unknown) =>
      [
        ...JSON.stringify(one).matchAll(
          /"(?:name|database_name|bucket_name|index_name|namespace_id|service|script_name)":"(svc-[^"]+|\d+)"/g,
        ),
      ].map(([, name]) => name)
    const [ours, theirs] = [namesOf(config), namesOf(built(worker, production))]
    // At least its own name and its rate limits: the pattern must find something.
    expect(ours.length).toBeGreaterThan(config.ratelimits?.length ?? 0)
    expect(config.ratelimits?.length).toBeGreaterThan(0)
    expect(ours.filter((name) => theirs.includes(name))).toEqual([])
  })

  it('is minified, with a source map beside it', () => {
    expect(config).toMatchObject({ minify: true, keep_names: false, upload_source_maps: true })
  })

  it('lets running objects finish for as long as a gradual deployment waits', () => {
    const { durable_objects: objects } = config as { durable_objects?: { code_update_strategy?: unknown } }
    if (objects) expect(objects.code_update_strategy).toEqual({ mode: 'deferred', max_delay: OBJECT_UPDATE_SECONDS })
    expect(objects === undefined).toBe(configs.get(worker)?.durable_objects === undefined)
  })

  it('writes metrics of its own, traced and with names that SQL takes', () => {
    expect(config.analytics_engine_datasets).toEqual([{ binding: 'METRICS', dataset: 'svc_metrics_staging' }])
    expect(built(worker, production).analytics_engine_datasets?.[0]?.dataset).toBe('svc_metrics')
    expect(config).toMatchObject({
      compatibility_flags: expect.arrayContaining(['nodejs_als']) as unknown,
      observability: { traces: { enabled: true } },
    })
  })

  it('keeps the bindings that the committed configuration has', () => {
    const bindingsOf = (one: unknown) =>
      [...JSON.stringify(one).matchAll(/"(?:binding|class_name|entrypoint)":"([^"]+)"/g)]
        .map(([, name = '']) => name)
        .toSorted((a, b) => a.localeCompare(b))
    expect(bindingsOf(config)).toEqual(bindingsOf(configs.get(worker)))
  })
})

describe('faultsOf', () => {
  it('finds example values and databases without ids', () => {
    const faults = faultsOf(built('core'))
    expect(faults).toContain('svc-core-staging: PUBLIC_ORIGINS still has an example value')
    expect(faults.at(-1)).toBe('svc-core-staging: has no database ids yet; run scripts/provision')
  })

  it('finds values of a development machine', () => {
    const bare = { ...staging, vars: {} }
    const faults = faultsOf(built('auth', bare)).join('\n')
    for (const name of ['ALLOWED_ORIGINS', 'RP_ID', 'RETURN_URLS', 'CHALLENGE_HOSTNAMES'])
      expect(faults).toContain(`${name} still has the value of a development machine`)
  })

  it('finds a configuration that would verify in JavaScript', () => {
    const faults = faultsOf({ ...built('core'), compatibility_flags: [] }).join('\n')
    expect(faults).toContain('svc-core-staging: lacks the compatibility flag webcrypto_modern_algorithms')
    expect(faultsOf(built('core')).join('\n')).not.toContain('webcrypto_modern_algorithms')
  })

  it('finds nothing if everything is set', () => {
    const hosts = Object.fromEntries(
      WORKER_NAMES.map((worker) => [worker, [`${worker}.svc.test`]]),
    ) as unknown as Deployment['hosts']
    const origin = ['https://app.svc.test']
    const vars = { all: { ALLOWED_ORIGINS: origin }, docs: { SECURITY_CONTACT: 'mailto:security@svc.test' } }
    const ready: Deployment = { ...staging, hosts, console: null, redirectingHosts: [], vars }
    expect(faultsOf(built('docs', ready))).toEqual([])
  })
})

it('gives all Workers the same realms while a deployment moves', () => {
  const realms = ['https://core.new.example', 'https://core.old.example']
  const moving = { ...staging, vars: { ...staging.vars, all: { ...staging.vars.all, REALMS: realms } } }
  expect(WORKER_NAMES.map((worker) => built(worker, moving).vars['REALMS'])).toEqual(WORKER_NAMES.map(() => realms))
})

it('leaves out only bindings to Workers that do not exist yet', () => {
  const base = configs.get('provenance') as RawConfig
  const first = configOf('provenance', base, staging, { sha: 'c0ffee', without: ['svc-pay'] })
  const services = (first as Pick<RawConfig, 'services'>).services?.map(({ service }) => service)
  expect(services).not.toContain('svc-pay-staging')
  expect(services).toContain('svc-core-staging')
})

it('redirects from the listed aliases, never from a canonical host', () => {
  const [canonical, alias] = staging.hosts.consent
  expect(built('consent').vars['REDIRECT_ORIGINS']).toEqual([`https://${alias}`])
  expect(built('consent').vars['REDIRECT_ORIGINS']).not.toContain(`https://${canonical}`)
  expect(built('core').vars['REDIRECT_ORIGINS']).toEqual([])
})

it('names the jurisdiction to every Worker and every bucket', () => {
  const there = { ...staging, location: { ...ANYWHERE, jurisdiction: 'eu' } } as const
  for (const worker of WORKER_NAMES) {
    expect(built(worker, there).vars['JURISDICTION']).toBe('eu')
    expect(built(worker).vars['JURISDICTION']).toBe('none')
    const hinted = { ...staging, location: { ...ANYWHERE, objectHint: 'weur' } } as const
    expect([built(worker, hinted).vars['OBJECT_HINT'], built(worker).vars['OBJECT_HINT']]).toEqual(['weur', ''])
  }
  const jurisdictions = (deployment: typeof staging) =>
    built('core', deployment).r2_buckets?.map((bucket) => (bucket as { jurisdiction?: string }).jurisdiction)
  expect(jurisdictions(there)).toEqual(['eu', 'eu', 'eu'])
  expect(jurisdictions(staging)).toEqual([undefined, undefined, undefined])
})

it('binds and creates each vector index in as many generations as VECTOR_GENERATIONS says', () => {
  const VECTOR_GENERATIONS = { text: 3, semantic: 1, fragment: 1, video: 2 }
  const grown = { ...staging, vars: { ...staging.vars, provenance: { VECTOR_GENERATIONS } } }
  const bound = built('provenance', grown).vectorize as { binding: string; index_name: string }[]
  expect(bound).toHaveLength(7)
  expect(bound.slice(0, 3)).toEqual([
    { binding: 'TEXT_VECTORS', index_name: 'svc-provenance-text-staging' },
    { binding: 'TEXT_VECTORS_2', index_name: 'svc-provenance-text-2-staging' },
    { binding: 'TEXT_VECTORS_3', index_name: 'svc-provenance-text-3-staging' },
  ])
  expect(bound.at(-1)).toEqual({ binding: 'VIDEO_VECTORS_2', index_name: 'svc-provenance-video-2-staging' })
  const created = resourcesOf({ deployment: grown, configs }).filter(({ kind }) => kind === 'Vectorize index')
  expect(created.map(({ name }) => name)).toEqual(bound.map(({ index_name }) => index_name))
})
