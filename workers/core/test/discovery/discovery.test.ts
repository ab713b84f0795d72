import { capabilitiesSchema } from '@svc/protocol/http/discovery'
import { objectCommitsBattery } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { anonymous, CORE, send } from '../harness.ts'

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

  it('serves OpenAPI 3.1, and the same as Markdown at both paths', async () => {
    const { body } = await anonymous('GET', '/openapi.json')
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.5.2' } })
    const [first, second] = await Promise.all(['/docs/API.md', '/api/docs.md'].map((path) => anonymous('GET', path)))
    expect(first?.body).toEqual(second?.body)
    expect(first?.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    for (const path of Object.keys(body['paths'] as object)) expect(first?.body['text']).toContain(path)
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
