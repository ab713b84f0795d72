import { livenessBattery, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import committed from '../openapi.json'
import { service } from '../src/app.ts'
import { BASE, send } from './harness.ts'

const prober = new Prober({ service, send, base: BASE })
const get = (path: string) => prober.send({ method: 'GET', path })

livenessBattery({ service, send, base: BASE, version: '0.1.3', committed })

describe('the banner of pay', () => {
  it('says what it is', async () => {
    const { body } = await get('/')
    expect(body).toEqual({ success: true, data: { service: 'pay', version: '0.1.3' }, timestamp: expect.any(Number) })
  })
})
