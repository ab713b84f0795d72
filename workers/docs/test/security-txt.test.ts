import { env } from 'cloudflare:workers'
import { Prober } from '@svc/service/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const PATH = '/.well-known/security.txt'
const prober = new Prober({ service, send, base: BASE })
const read = (of = prober) => of.send({ method: 'GET', path: PATH })

/** The same Worker with other variables. */
const proberWith = (variables: object) =>
  new Prober({
    service,
    base: BASE,
    send: async (request) => service.app.fetch(request, { ...env, ...variables }),
  })

afterEach(() => void vi.useRealTimers())

describe('security.txt', () => {
  it('says where to report, in the form of RFC 9116', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-25T18:30:00Z') })
    const { status, body, headers } = await read()
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(body).toBe(
      [
        'Contact: mailto:security@localhost.example',
        'Expires: 2027-02-23T00:00:00Z',
        'Preferred-Languages: en',
        `Canonical: ${BASE}${PATH}`,
        `Policy: ${BASE}/developer/security-policy`,
        '',
      ].join('\n'),
    )
    expect((await prober.send({ method: 'GET', path: '/developer/security-policy' })).status).toBe(200)
  })

  it.each(['2026-01-01T00:00:00Z', '2026-12-31T23:59:59Z', '2028-02-29T12:00:00Z'])(
    'expires within a year of %s, and not at once',
    async (time) => {
      const now = Date.parse(time)
      vi.useFakeTimers({ toFake: ['Date'], now })
      const expires = Date.parse(/^Expires: (.+)$/m.exec(String((await read()).body))?.[1] ?? '')
      expect(expires - now).toBeGreaterThan(30 * 86_400_000)
      expect(expires - now).toBeLessThan(365 * 86_400_000)
    },
  )

  it('names every host of the documentation', async () => {
    const origins = ['https://docs.test', 'https://documentation.test']
    const { body } = await read(
      proberWith({ PUBLIC_ORIGINS: origins, SECURITY_CONTACT: 'https://security.test/report' }),
    )
    expect(String(body)).toContain('Contact: https://security.test/report\n')
    for (const origin of origins) expect(String(body)).toContain(`Canonical: ${origin}${PATH}\n`)
  })

  it.each([undefined, ''])('is not there where the contact is %j', async (contact) => {
    expect(await read(proberWith({ SECURITY_CONTACT: contact }))).toMatchObject({ status: 404, error: 'not_found' })
  })

  it.each(['security@example.org', 'http://example.org', 'mailto:a@example.org\nPolicy: https://evil.example'])(
    'is a fault of the deployment where the contact is %j',
    async (contact) => {
      expect((await read(proberWith({ SECURITY_CONTACT: contact }))).status).toBe(500)
    },
  )
})
