import { env } from 'cloudflare:workers'
import { descriptionBattery, objectCommitsBattery, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import examples from '../examples.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string) => prober.send({ method: 'GET', path })

descriptionBattery({ service, send, base: BASE, examples })

objectCommitsBattery({
  service,
  send,
  base: BASE,
  bindings: ['ACCOUNT_DIRECTORIES', 'TRANSPARENCY_LOG', 'BEACON', 'ACCOUNT_MAP', 'MAP_BUCKETS'],
})

describe('discovery of keys', () => {
  it('is alive and says which bindings it has', async () => {
    const { body, headers } = await get('/health')
    const { queues, ...alive } = body as { queues?: object }
    // Absent on a machine that takes longer than /health waits.
    expect(Object.keys(queues ?? { 'account map': null })).toEqual(['account map'])
    expect(alive).toEqual({
      status: 'ok',
      service: 'keys',
      version: '0.1.5',
      commit: 'unknown',
      cryptography: 'native',
      bindings: {
        core: true,
        accountDirectories: true,
        accountMap: true,
        mapBuckets: true,
        transparencyLog: true,
        beacon: true,
        tiles: true,
        database: true,
        internalSecret: true,
        logKey: true,
        labelKey: true,
        receiptKey: true,
        logList: true,
      },
      timestamp: expect.any(Number),
    })
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('names a binding that is missing', async () => {
    const { CORE: _, SVC_INTERNAL_SECRET: __, ...rest } = env
    const bare = new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, rest) })
    const { body } = await bare.send({ method: 'GET', path: '/health' })
    expect(body).toMatchObject({
      status: 'degraded',
      bindings: { core: false, internalSecret: false, logKey: true },
    })
  })
})
