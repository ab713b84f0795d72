import { expect, it } from 'vitest'
import { type Configuration, deploymentFiles, policyOf, TESTING_SITE_KEY } from './deployment-files.ts'

const CONFIGURATION: Configuration = {
  services: { core: 'https://core.example', auth: 'https://auth.example' },
  providers: [],
  turnstileSiteKey: TESTING_SITE_KEY,
}

it('the policy allows own files and the configured services, and nothing inline', () => {
  const policy = policyOf(CONFIGURATION)
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self' https://core.example https://auth.example;")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy.replace("'wasm-unsafe-eval'", '')).not.toMatch(/unsafe-|\*|data:|challenges/)
})

it('the policy allows the widget of the bot challenge only where there is one', () => {
  const policy = policyOf({ ...CONFIGURATION, turnstileSiteKey: '0x4AAAAAAA' })
  expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval' https://challenges.cloudflare.com;")
  expect(policy).toContain('frame-src https://challenges.cloudflare.com')
})

it('files with a hash in their names are kept forever, and no other', () => {
  const { _headers: headers, 'config.json': json } = deploymentFiles(CONFIGURATION)
  expect(headers.split('\n').filter((line) => line.includes('Cache-Control'))).toHaveLength(1)
  expect(headers.indexOf('Cache-Control')).toBeGreaterThan(headers.indexOf('/assets/*'))
  expect(JSON.parse(json)).toEqual(CONFIGURATION)
})
