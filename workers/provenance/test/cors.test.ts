import { ALLOWED_ORIGIN, FOREIGN_ORIGIN, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const from = (origin: string | undefined, method: string, path: string) =>
  prober.send({ method, path, headers: origin === undefined ? {} : { origin } })
const DENIED = { success: false, error: 'cors_denied' }

const BLOB = `/keypoints/${'0f'.repeat(48)}.akpb`

describe('origins of provenance', () => {
  it.each(['/models/manifest.json', '/models/x.onnx', '/ort/1.0/ort-wasm.wasm', BLOB])(
    'refuses nobody at %s and lets no stranger read it',
    async (path) => {
      for (const origin of [FOREIGN_ORIGIN, 'null', undefined]) {
        const { error, headers } = await from(origin, 'GET', path)
        expect(error).not.toBe('cors_denied')
        expect(headers.get('access-control-allow-origin')).toBeNull()
        expect(headers.get('vary')).toContain('Origin')
      }
      const allowed = await from(ALLOWED_ORIGIN, 'GET', path)
      expect(allowed.headers.get('access-control-allow-origin')).toBe(ALLOWED_ORIGIN)
    },
  )

  it.each([
    '/health',
    '/openapi.json',
    '/api/capsule/x',
    '/models',
    '/modelsx',
    '/ort',
    `${BLOB}x`,
    `/keypoints/${'0F'.repeat(48)}.akpb`,
    '/keypoints/x.akpb',
    '/api/models/x',
  ])('checks the origin at %s, reads included', async (path) => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      for (const origin of [FOREIGN_ORIGIN, 'null']) {
        const refused = await from(origin, method, path)
        expect(refused.status).toBe(403)
        if (method !== 'HEAD') expect(refused.body).toMatchObject(DENIED)
      }
      expect((await from(undefined, method, path)).error).not.toBe('cors_denied')
    }
  })
})
