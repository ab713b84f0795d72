import { existsSync } from 'node:fs'
import { policyOf } from '@svc/console/deployment-files'
import { WORKER_NAMES } from '@svc/platform/workspace'
import { describe, expect, it } from 'vitest'
import { committedConfigs, committedConsole } from '../account.ts'
import { type Deployment, readDeployment } from '../deployment.ts'
import { configOf, faultsOf, type RawConfig } from '../worker-deployment.ts'
import { consoleConfigOf, consoleConfiguration, consoleFaults } from './console-deployment.ts'

const configs = committedConfigs()
const staging = readDeployment('staging')
const console = { host: 'console-staging.example.com', turnstileSiteKey: '0x4AAAAAAA' }
const withConsole: Deployment = { ...staging, console }
const varsOf = (worker: (typeof WORKER_NAMES)[number], deployment: Deployment) =>
  configOf(worker, configs.get(worker) as RawConfig, deployment, { sha: 'c0ffee' }).vars

describe('a deployment with a console', () => {
  it.each(WORKER_NAMES)('lets its origin call %s', (worker) => {
    expect(varsOf(worker, withConsole)['ALLOWED_ORIGINS']).toContain('https://console-staging.example.com')
    expect(varsOf(worker, { ...staging, console: null })['ALLOWED_ORIGINS']).not.toContain(
      'https://console-staging.example.com',
    )
  })

  it('lets people create passkeys there, come back from providers, and pass the bot challenge', () => {
    const { RP_ORIGINS, RETURN_URLS, CHALLENGE_HOSTNAMES } = varsOf('auth', withConsole)
    expect(RP_ORIGINS).toEqual(['https://app-staging.example.com', 'https://console-staging.example.com'])
    expect(RETURN_URLS).toContain('https://console-staging.example.com/sign-in')
    expect(CHALLENGE_HOSTNAMES).toContain('console-staging.example.com')
  })

  it('is where the API references lead to', () => {
    expect(varsOf('docs', withConsole)['CONSOLE_ORIGIN']).toBe('https://console-staging.example.com')
    expect(varsOf('docs', { ...staging, console: null })['CONSOLE_ORIGIN']).toBe('')
    expect(varsOf('core', withConsole)).not.toHaveProperty('CONSOLE_ORIGIN')
  })

  it('is uploaded with the script that answers where there is no file, at its own host only', () => {
    const config = consoleConfigOf(committedConsole(), withConsole, console, 'files')
    expect(config).toMatchObject({
      name: 'svc-console-staging',
      workers_dev: false,
      preview_urls: false,
      routes: [{ pattern: 'console-staging.example.com', custom_domain: true }],
      assets: { directory: 'files', binding: 'FILES', not_found_handling: 'none' },
    })
    expect(existsSync(config.main)).toBe(true)
    // Files are served without it: whatever it answered there would be kept for a year.
    expect(config.assets).not.toHaveProperty('run_worker_first')
    expect(Object.keys(config)).not.toEqual(expect.arrayContaining(['vars']))
  })

  it('tells it where the services are and which providers have a client, and nothing secret', () => {
    const auth = { ...varsOf('auth', withConsole), GOOGLE_CLIENT_ID: 'client.example' }
    const configuration = consoleConfiguration(withConsole, console, auth)
    expect(configuration.services['auth']).toBe(`https://${staging.hosts.auth[0]}`)
    expect(Object.keys(configuration.services)).toEqual(WORKER_NAMES)
    expect(configuration.providers).toEqual(['google'])
    expect(JSON.stringify(configuration)).not.toMatch(/secret|seed|localhost/i)
  })

  it('allows its pages to run and to call nothing else', () => {
    const configuration = consoleConfiguration(withConsole, console, {})
    const policy = policyOf(configuration, 'console')
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("require-trusted-types-for 'script'")
    const signIn = policyOf(configuration, 'sign-in')
    expect(signIn).toContain("script-src 'self' 'wasm-unsafe-eval' https://challenges.cloudflare.com;")
    expect(signIn).toContain('frame-src https://challenges.cloudflare.com;')
    expect(policy + signIn).not.toMatch(/unsafe-inline|'unsafe-eval'|localhost|\*/)
    const [connect = ''] = /connect-src [^;]+/.exec(policy) ?? []
    expect(connect.split(' ').slice(1)).toEqual([
      "'self'",
      ...WORKER_NAMES.map((name) => `https://${staging.hosts[name][0]}`),
      `wss://${staging.hosts.core[0]}`,
    ])
  })
})

describe('a console is not uploaded', () => {
  const faults = (change: object, auth = { RP_ID: 'svc.test' }) =>
    consoleFaults({ host: 'console.svc.test', turnstileSiteKey: '0x4AAAAAAA', ...change }, auth)

  it.each([
    [{}, []],
    [{ host: 'svc.test' }, []],
    [
      { turnstileSiteKey: '1x00000000000000000000AA' },
      ['turnstileSiteKey still has the value of a development machine'],
    ],
    [{ turnstileSiteKey: 'site key of example.com' }, ['turnstileSiteKey still has an example value']],
    [
      { host: 'console.other.test' },
      ['host must be RP_ID of auth (svc.test) or below it, or passkeys do not work there'],
    ],
    [{ host: 'evilsvc.test' }, ['host must be RP_ID of auth (svc.test) or below it, or passkeys do not work there']],
  ])('with %j: %j', (change, expected) => {
    expect(faults(change)).toEqual(expected.map((fault) => `console: ${fault}`))
  })
})

it('a deployment cannot use the identity providers of a developer’s machine', () => {
  const issuer = 'http://localhost:8798/google'
  const playing = { ...staging, vars: { ...staging.vars, auth: { ...staging.vars.auth, GOOGLE_ISSUER: issuer } } }
  const config = configOf('auth', configs.get('auth') as RawConfig, playing, { sha: 'c0ffee' })
  expect(faultsOf(config)).toContain('svc-auth-staging: GOOGLE_ISSUER still has the value of a development machine')
})
