import { expect, it } from 'vitest'
import { type Configuration, deploymentFiles, policyOf, TESTING_SITE_KEY } from './deployment-files.ts'

const CONFIGURATION: Configuration = {
  services: { core: 'https://core.example', auth: 'https://auth.example' },
  providers: [],
  turnstileSiteKey: TESTING_SITE_KEY,
}

it('the policy allows own files and the configured services, and nothing inline', () => {
  const policy = policyOf(CONFIGURATION, 'console')
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("connect-src 'self' https://core.example https://auth.example wss://core.example;")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("require-trusted-types-for 'script'; trusted-types console")
  expect(policy).not.toMatch(/unsafe-|\*|data:|challenges/)
})

it('the policy names no host but the configured services', () => {
  const sources = policyOf(CONFIGURATION, 'console').split(/[; ]+/)
  const { core, auth } = CONFIGURATION.services
  expect(sources.filter((source) => source.includes(':'))).toEqual([core, auth, 'wss://core.example'])
})

it('the pages of sign-in have WebAssembly, and the widget of the bot challenge where there is one', () => {
  expect(policyOf(CONFIGURATION, 'sign-in')).toContain("script-src 'self' 'wasm-unsafe-eval';")
  const withWidget = { ...CONFIGURATION, turnstileSiteKey: '0x4AAAAAAA' }
  const policy = policyOf(withWidget, 'sign-in')
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval' https://challenges.cloudflare.com;")
  expect(policy).toContain('frame-src https://challenges.cloudflare.com')
  expect(policyOf(withWidget, 'console')).toBe(policyOf(CONFIGURATION, 'console'))
})

it('files with a hash in their names are kept forever, and no other', () => {
  const { _headers: headers, 'config.json': json } = deploymentFiles(CONFIGURATION)
  expect(headers.split('\n').filter((line) => line.includes('Cache-Control'))).toHaveLength(1)
  expect(headers.indexOf('Cache-Control')).toBeGreaterThan(headers.indexOf('/assets/*'))
  expect(JSON.parse(json)).toEqual(CONFIGURATION)
})
