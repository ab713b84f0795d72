import { Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import committed from '../openapi.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string) => prober.send({ method: 'GET', path })

describe('discovery of consent', () => {
  it('is alive', async () => {
    const { body, headers } = await get('/health')
    expect(body).toEqual({
      status: 'ok',
      service: 'consent',
      version: '1.0.3',
      commit: 'unknown',
      timestamp: expect.any(Number),
    })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('serves the committed description', async () => {
    const { body, headers } = await get('/openapi.json')
    expect(body).toEqual(committed)
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.3' } })
    expect(headers.get('cache-control')).toBe('public, max-age=300')
  })
})
