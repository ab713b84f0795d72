import { descriptionBattery, objectCommitsBattery, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import examples from '../examples.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string) => prober.send({ method: 'GET', path })

descriptionBattery({ service, send, base: BASE, examples })

objectCommitsBattery({ service, send, base: BASE, bindings: ['CEREMONIES', 'COUNTERS'] })

describe('discovery of auth', () => {
  it('is alive', async () => {
    const { body, headers } = await get('/health')
    expect(body).toEqual({ service: 'auth', version: '0.1.4', commit: 'unknown', environment: 'local' })
    expect(headers.get('cache-control')).toBe('no-store')
  })
})
