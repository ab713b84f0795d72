import { ALLOWED_ORIGIN, FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const from = (origin: string | undefined, method: string, path: string) =>
  prober.send({ method, path, headers: origin === undefined ? {} : { origin } })
const DENIED = { success: false, error: 'cors_denied' }

describe('origins of pay', () => {
  it.each([
    ['GET', '/pay/offer'],
    ['POST', '/pay/intent'],
    ['GET', '/entitlement'],
    ['POST', '/entitlement/redeem'],
    ['GET', '/quota'],
    ['POST', '/quota/consume'],
    ['POST', '/api/operator/acts'],
    ['POST', '/api/operator/dead-letters'],
    ['POST', '/api/operator/grants'],
  ])('checks the origin of %s %s', async (method, path) => {
    for (const origin of [FOREIGN_ORIGIN, 'null']) {
      expect(await from(origin, method, path)).toMatchObject({ status: 403, body: DENIED })
    }
    expect((await from(undefined, method, path)).error).not.toBe('cors_denied')
    const allowed = await from(ALLOWED_ORIGIN, method, path)
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ALLOWED_ORIGIN)
  })

  it('lets pages of the allowlist read /health, and refuses nobody', async () => {
    for (const origin of [FOREIGN_ORIGIN, 'null', ALLOWED_ORIGIN]) {
      const { status, headers } = await from(origin, 'GET', '/health')
      expect(status).toBe(200)
      const expected = origin === ALLOWED_ORIGIN ? ALLOWED_ORIGIN : null
      expect(headers.get('access-control-allow-origin')).toBe(expected)
    }
  })

  it.each(['/', '/health/objects', '/openapi.json', '/paying', '/pay', '/no/such/route'])(
    'leaves CORS away from %s',
    async (path) => {
      for (const origin of [FOREIGN_ORIGIN, 'null', ALLOWED_ORIGIN]) {
        const { error, headers } = await from(origin, 'GET', path)
        expect(error).not.toBe('cors_denied')
        expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([])
      }
    },
  )
})
