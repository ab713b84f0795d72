import { describe, expect, it } from 'vitest'
import { WORKER_NAMES } from '../lib/workspace.ts'
import { committedConfigs } from './account.ts'
import { type Deployment, readDeployment } from './deployment.ts'
import { configOf, faultsOf, type RawConfig } from './worker-deployment.ts'

const configs = committedConfigs()
const staging = readDeployment('staging')
const production = readDeployment('production')
const built = (worker: (typeof WORKER_NAMES)[number], deployment: Deployment = staging) =>
  configOf(worker, configs.get(worker) as RawConfig, deployment, { sha: 'c0ffee' })

describe.each(WORKER_NAMES)('%s as it is deployed', (worker) => {
  const config = built(worker)

  it('is reached by its own hosts alone', () => {
    expect(config.routes).toEqual(staging.hosts[worker].map((pattern) => ({ pattern, custom_domain: true })))
    expect(config).toMatchObject({ workers_dev: false, preview_urls: false })
    expect(config.vars['PUBLIC_ORIGINS']).toEqual(staging.hosts[worker].map((host) => `https://${host}`))
  })

  it('says which build it is, in which environment', () => {
    expect(config.vars).toMatchObject({ ENVIRONMENT: 'staging', BUILD_SHA: 'c0ffee', COMMIT: 'c0ffee' })
  })

  it('has nothing of a developer’s machine, and no secret among its variables', () => {
    expect(JSON.stringify(config.vars)).not.toMatch(/localhost|127\.0\.0\.1/)
    expect(Object.keys(config.vars).filter((name) => /SECRET|SEED|TOKEN/.test(name))).toEqual([])
  })

  it('shares nothing with production within one account', () => {
    const namesOf = (one: unknown) =>
      [
        ...JSON.stringify(one).matchAll(
          /"(?:name|database_name|bucket_name|index_name|namespace_id|service|script_name)":"(svc-[^"]+|\d+)"/g,
        ),
      ].map(([, name]) => name)
    const [ours, theirs] = [namesOf(config), namesOf(built(worker, production))]
    expect(ours.length).toBeGreaterThan(10)
    expect(ours.filter((name) => theirs.includes(name))).toEqual([])
  })

  it('keeps the bindings that the committed configuration has', () => {
    const bindingsOf = (one: unknown) =>
      [...JSON.stringify(one).matchAll(/"(?:binding|class_name|entrypoint)":"([^"]+)"/g)]
        .map(([, name = '']) => name)
        .toSorted((a, b) => a.localeCompare(b))
    // The sign-in page is for developers and stays behind.
    const kept = bindingsOf(configs.get(worker)).filter((name) => worker !== 'auth' || name !== 'PAGE')
    expect(bindingsOf(config)).toEqual(kept)
  })
})

describe('faultsOf', () => {
  it('finds what is still an example, and databases without ids', () => {
    const faults = faultsOf(built('core'))
    expect(faults).toContain('svc-core-staging: PUBLIC_ORIGINS still names an example')
    expect(faults.at(-1)).toBe('svc-core-staging: has no ids of its databases yet; scripts/provision writes them')
  })

  it('finds what is left of a developer’s machine', () => {
    const bare = { ...staging, vars: {} }
    const faults = faultsOf(built('auth', bare)).join('\n')
    for (const name of ['ALLOWED_ORIGINS', 'RP_ID', 'RETURN_URLS', 'CHALLENGE_HOSTNAMES'])
      expect(faults).toContain(`${name} is still that of a developer's machine`)
  })

  it('finds none where all is set', () => {
    const hosts = Object.fromEntries(
      WORKER_NAMES.map((worker) => [worker, [`${worker}.svc.test`]]),
    ) as unknown as Deployment['hosts']
    const origin = ['https://app.svc.test']
    const ready: Deployment = { ...staging, hosts, redirectingHosts: [], vars: { all: { ALLOWED_ORIGINS: origin } } }
    expect(faultsOf(built('docs', ready))).toEqual([])
  })
})

it('leaves out bindings to what is not there yet, and nothing else', () => {
  const base = configs.get('provenance') as RawConfig
  const first = configOf('provenance', base, staging, { sha: 'c0ffee', without: ['svc-pay'] })
  const services = (first as Pick<RawConfig, 'services'>).services?.map(({ service }) => service)
  expect(services).not.toContain('svc-pay-staging')
  expect(services).toContain('svc-core-staging')
})

it('redirects from the aliases that the environment names, and from no canonical host', () => {
  const [canonical, alias] = staging.hosts.consent
  expect(built('consent').vars['REDIRECT_ORIGINS']).toEqual([`https://${alias}`])
  expect(built('consent').vars['REDIRECT_ORIGINS']).not.toContain(`https://${canonical}`)
  expect(built('core').vars['REDIRECT_ORIGINS']).toEqual([])
})
