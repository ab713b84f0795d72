import { describe, expect, it } from 'vitest'
import { classify, quotasOf, type Service } from './tiers.ts'

const CASES: [service: Service, method: string, path: string, tier: string | null, limit: number | null][] = [
  ['core', 'GET', '/health', 'health', 600],
  ['core', 'HEAD', '/health', 'health', 600],
  ['core', 'GET', '/api/capabilities', 'health', 600],
  ['core', 'GET', '/health/objects', 'health', 600],
  ['core', 'GET', '/Health', 'read', 300],
  ['core', 'GET', '/health/', 'read', 300],
  ['core', 'POST', '/api/pqc/verify', 'default', 200],
  ['core', 'POST', '/api/user/verify', 'default', 200],
  ['core', 'GET', '/api/chain/head', 'read', 300],
  ['core', 'POST', '/api/chain/append', 'default', 200],
  ['core', 'POST', '/sync/batch', 'batch-sync', 30],
  ['core', 'GET', '/api/chat', 'ai-chat', 30],
  ['provenance', 'POST', '/api/verify', 'verify', 500],
  ['provenance', 'POST', '/api/verify/batch', 'verify-batch', 100],
  ['provenance', 'GET', '/api/capsule/x/verify', 'read', 300],
  ['provenance', 'GET', '/api/commitment/x', 'register', 20],
  ['provenance', 'POST', '/api/register/text', 'register', 20],
  ['provenance', 'POST', '/api/search/video', 'ai-search', 60],
  ['provenance', 'POST', '/api/query/text', 'default', 200],
  ['provenance', 'POST', '/api/search/register', 'register', 20],
  ['did', 'GET', '/1.0/identifiers/did:svc:x', 'read', 300],
  ['did', 'POST', '/1.0/register', 'register', 20],
  ['keys', 'GET', '/api/epoch/current', 'epoch', 20],
  ['keys', 'POST', '/api/key/rotate', 'key-rotate', 10],
  ['keys', 'POST', '/api/key/revoke', 'key-revoke', 5],
  ['keys', 'GET', '/api/identity/x/tier', 'identity', 30],
  ['keys', 'GET', '/health', null, null],
  ['keys', 'GET', '/api/capabilities', null, null],
  ['consent', 'GET', '/api/v1/consent/x', 'consent-read', 5000],
  ['consent', 'HEAD', '/health', 'consent-read', 5000],
  ['consent', 'POST', '/api/v1/consent', 'default', 200],
  ['keys', 'GET', '/health/objects', 'health', 600],
  ['auth', 'GET', '/health', null, null],
  ['auth', 'GET', '/health/objects', 'sign-in', 20],
  ['auth', 'GET', '/nothing', 'sign-in', 20],
  ['auth', 'POST', '/api/auth/opaque/register/init', 'sign-in', 20],
]

describe('classify', () => {
  it.each(CASES)('%s %s %s is %s', (service, method, path, tier, limit) => {
    expect(classify(service, method, path)).toEqual(tier === null ? null : { tier, limit })
  })
})

describe('quotasOf', () => {
  it.each(CASES)('lists what %s %s %s falls under', (service, method, path) => {
    const quota = classify(service, method, path)
    if (quota) expect(quotasOf(service)).toContainEqual(expect.objectContaining(quota))
    else expect(quota).toBeNull()
  })

  it('lists nothing that no request to the service falls under', () => {
    expect(quotasOf('auth').map(({ limit }) => limit)).toEqual([20])
    expect(quotasOf('consent').map(({ tier }) => tier)).not.toContain('read')
    expect(quotasOf('core').map(({ tier }) => tier)).not.toContain('consent-read')
  })
})
