import { objectCommitsBattery, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import committed from '../openapi.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string) => prober.send({ method: 'GET', path })

objectCommitsBattery({ service, send, base: BASE, bindings: ['CEREMONIES', 'COUNTERS'] })

describe('discovery of auth', () => {
  it('is alive', async () => {
    const { body, headers } = await get('/health')
    expect(body).toEqual({ service: 'auth', version: '0.1.4', commit: 'unknown', environment: 'local' })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('serves the committed description', async () => {
    const { body, headers } = await get('/openapi.json')
    expect(body).toEqual(committed)
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '0.1.4' } })
    expect(headers.get('cache-control')).toBe('public, max-age=300')
  })
})
