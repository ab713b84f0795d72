import { ALLOWED_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { RETIRED } from '../src/service.ts'
import { BASE, send } from './harness.ts'

/** Every retired path, with children for each family. */
const PATHS = [
  '/api/key/status',
  '/api/key/status/',
  '/api/key/status/did:svc:x',
  '/api/key/history/x/y',
  '/api/key/rotate',
  '/api/key/revoke',
  '/api/key/report-compromise',
  '/api/identity/register',
  '/api/identity/upgrade',
  '/api/identity/x/tier',
  '/api/identity/device/attest',
  '/api/identity/devices',
  '/api/identity/device/x',
  '/api/identity/device/x/revoke',
  '/api/admin/keys',
  '/api/admin/keys/x/revoke',
  '/api/admin/keys/x/advisory',
  '/api/trust/kernel/x',
  '/api/trust/delegate',
  '/api/trust/attestation',
  '/api/trust/dunbar/x/5',
  '/api/trust/dunbar/assign',
  '/api/internal/owner/register',
  '/api/internal/device-key/resolve',
]
const prober = new Prober({ service, send, base: BASE })

describe('a retired route', () => {
  it.each(PATHS)(
    '%s is gone for every method, whatever the Origin and the credential',
    async (path) => {
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        for (const headers of [{}, { origin: ALLOWED_ORIGIN, authorization: 'Bearer x' }]) {
          const { status, error } = await prober.send({ method, path, headers })
          expect({ method, status, error }).toEqual({ method, status: 410, error: 'endpoint_retired' })
        }
      }
    },
    30_000,
  )

  it.each(['/api/key', '/api/key/statusx', '/api/key/rotate/x', '/api/identity/a/b/tier', '/api/trust/dunbar/x'])(
    '%s never was one',
    async (path) => {
      expect((await prober.send({ method: 'GET', path })).status).toBe(404)
    },
  )

  it('stands in one table, which capabilities show', async () => {
    const { body } = await prober.send({ method: 'GET', path: '/api/capabilities' })
    expect((body as { retired: string[] }).retired).toEqual(RETIRED.map(({ path }) => path))
  })
})
