import { capabilitiesSchema } from '@svc/protocol/http/discovery'
import { descriptionBattery, objectCommitsBattery } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import examples from '../../examples.json'
import { service } from '../../src/app.ts'
import { anonymous, CORE, send } from '../harness.ts'

descriptionBattery({ service, send, base: CORE, examples })

objectCommitsBattery({
  service,
  send,
  base: CORE,
  bindings: ['IDENTITIES', 'RENDEZVOUS', 'ANCHOR_LOG', 'INBOXES', 'COUNTERS', 'NOTE_VAULTS'],
})

describe('discovery', () => {
  it.each(['/', '/index.html'])('returns a banner at %s', async (path) => {
    expect(await anonymous('GET', path)).toMatchObject({
      status: 200,
      body: { success: true, data: { service: 'core', version: '1.5.2', openapi: `${CORE}/openapi.json` } },
    })
  })

  it('is healthy, with an unknown build if none is configured', async () => {
    expect(await anonymous('GET', '/health')).toMatchObject({
      status: 200,
      body: {
        success: true,
        data: {
          service: 'core',
          version: '1.5.2',
          timestamp: expect.any(Number),
          environment: 'local',
          buildSha: 'unknown',
          cryptography: 'native',
        },
        timestamp: expect.any(Number),
      },
    })
  })

  it('answers HEAD as GET without a body', async () => {
    for (const path of ['/health', '/openapi.json', '/api/version']) {
      const response = await send(new Request(CORE + path, { method: 'HEAD' }))
      expect(response.status).toBe(200)
      expect(await response.text()).toBe('')
    }
  })

  it('returns the version without an envelope, with the time of the request', async () => {
    const { body } = await anonymous('GET', '/api/version')
    expect(body).toEqual({ version: '1.5.2', buildAt: expect.stringMatching(/^\d{4}-.*Z$/), commit: 'unknown' })
    expect(Math.abs(Date.parse(String(body['buildAt'])) - Date.now())).toBeLessThan(10_000)
  })

  it('returns capabilities without an envelope and with no-store', async () => {
    const { body, headers } = await anonymous('GET', '/api/capabilities')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(capabilitiesSchema.parse(body).authSchemes).toContain('ServiceAssertion')
  })

  it('returns hints on how to authenticate', async () => {
    const { body } = await anonymous('GET', '/api/meta')
    expect(body['data']).toMatchObject({
      docs: 'https://docs.test',
      auth: { header: 'Authorization', scheme: 'ServiceAssertion' },
    })
  })

  it('allows crawlers only on health and description', async () => {
    const { body } = await anonymous('GET', '/robots.txt')
    expect(body['text']).toBe('User-agent: *\nAllow: /health\nAllow: /openapi.json\nDisallow: /\n')
  })

  it.each(['/api/account/heal', '/api/account/heal/status', '/api/inbox/did:svc:x/m1/reply'])(
    'says that %s is retired',
    async (path) => {
      for (const method of ['GET', 'POST', 'DELETE', 'PATCH']) {
        expect(await anonymous(method, path)).toMatchObject({ status: 410, body: { error: 'endpoint_retired' } })
      }
      expect((await anonymous('GET', path, undefined, { origin: 'https://stranger.example' })).status).toBe(410)
    },
  )
})
