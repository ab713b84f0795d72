import { ALLOWED_ORIGIN, FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const from = (origin: string | undefined, method: string, path: string) =>
  prober.send({ method, path, headers: origin === undefined ? {} : { origin } })
const DENIED = { success: false, error: 'cors_denied' }

describe('origins of the key directory', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'demands an allowlisted Origin of %s, even from servers',
    async (method) => {
      for (const path of ['/api/key-directory/x/devices/y', '/health', '/no/such/route']) {
        for (const origin of [undefined, 'null', FOREIGN_ORIGIN]) {
          expect(await from(origin, method, path)).toMatchObject({ status: 403, body: DENIED })
        }
        expect((await from(ALLOWED_ORIGIN, method, path)).error).not.toBe('cors_denied')
      }
    },
  )

  it.each(['GET', 'HEAD'])('lets %s pass without Origin', async (method) => {
    expect((await from(undefined, method, '/health')).status).toBe(200)
    expect((await from(FOREIGN_ORIGIN, method, '/health')).status).toBe(403)
  })
})
