import { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import { descriptionBattery, livenessBattery, objectCommitsBattery } from '@svc/service/testing'
import { REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import examples from '../examples.json'
import { service } from '../src/app.ts'
import { BASE, get, send } from './harness.ts'

descriptionBattery({ service, send, base: BASE, examples })

livenessBattery({ service, send, base: BASE, version: '1.0.3', facts: { cryptography: 'native' } })

objectCommitsBattery({
  service,
  send,
  base: BASE,
  bindings: ['CONSENT_STORES', 'CONSENT_CREATORS'],
})

describe('the site rules of consent', () => {
  it('has directives for crawlers', async () => {
    const { status, body, headers } = await get('/robots.txt')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain')
    expect(headers.get('cache-control')).toBe('public, max-age=86400')
    expect(headers.get('x-robots-tag')).toBe('noai')
    expect(body).toContain('\nUser-agent: *\nAllow: /\n')
    expect(body).toContain('# Declared preferences: https://consent.test/.well-known/ai-consent\n')
  })

  it('says where preferences are, and what holds without one', async () => {
    const { body, headers } = await get('/.well-known/ai-consent')
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
    expect(headers.get('x-robots-tag')).toBe('noai')
    expect(body).toMatchObject({
      vocabulary: { draft: 'draft-ietf-aipref-vocab-06', header: 'X-Svc-Consent' },
      default: { policy: 'opt-out', source: 'default' },
      endpoints: { verification: 'https://consent.test/api/v1/consent/{hash}' },
      snapshot_key_b64u: await new DeploymentSigner('0f'.repeat(32), REALMS).publicKey(0),
    })
    const without = await get('/.well-known/ai-consent', {}, { CONSENT_SEED: '' })
    expect(without.body).toMatchObject({ snapshot_key_b64u: null })
  })

  it('reserves mining rights, and names no policy', async () => {
    const { body, headers } = await get('/.well-known/tdmrep.json')
    expect(body).toEqual([{ location: '/', 'tdm-reservation': 1 }])
    expect(headers.get('cache-control')).toBe('public, max-age=3600')
  })

  it.each(['/robots.txt', '/.well-known/ai-consent', '/.well-known/tdmrep.json'])(
    '%s is 304 for who has it',
    async (path) => {
      const etag = (await get(path)).headers.get('etag') ?? ''
      expect((await get(path, { 'if-none-match': etag })).status).toBe(304)
    },
  )
})
