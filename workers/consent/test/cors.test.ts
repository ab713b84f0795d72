import { ALLOWED_ORIGIN, FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const from = (origin: string | undefined, method: string, path: string) =>
  prober.send({ method, path, headers: origin === undefined ? {} : { origin } })
const DENIED = { success: false, error: 'cors_denied' }

const HASH = 'ab'.repeat(32)

describe('origins of consent', () => {
  it.each([
    ['GET', `/api/v1/consent/${HASH}`],
    ['HEAD', `/api/v1/consent/${HASH}`],
    ['GET', '/api/v1/consent/by-creator/did:svc:x'],
    ['GET', '/api/v1/partner/opt-out'],
    ['GET', '/.well-known/ai-consent'],
    ['GET', '/robots.txt'],
    ['GET', '/health'],
    ['POST', '/api/v1/consent/batch'],
  ])('opens %s %s to any origin', async (method, path) => {
    for (const origin of [FOREIGN_ORIGIN, 'null', ALLOWED_ORIGIN, undefined]) {
      const { error, headers } = await from(origin, method, path)
      expect(error).not.toBe('cors_denied')
      expect(headers.get('access-control-allow-origin')).toBe('*')
    }
  })

  it.each([
    ['POST', '/api/v1/consent'],
    ['PUT', `/api/v1/consent/${HASH}`],
    ['DELETE', `/api/v1/consent/${HASH}`],
  ])('checks the origin of %s %s', async (method, path) => {
    for (const origin of [FOREIGN_ORIGIN, 'null']) {
      const refused = await from(origin, method, path)
      expect(refused).toMatchObject({ status: 403, body: DENIED })
      expect(refused.headers.get('access-control-allow-origin')).toBeNull()
    }
    expect((await from(undefined, method, path)).error).not.toBe('cors_denied')
    const allowed = await from(ALLOWED_ORIGIN, method, path)
    expect(allowed.headers.get('access-control-allow-origin')).toBe(ALLOWED_ORIGIN)
  })
})
