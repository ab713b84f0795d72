import { descriptionBattery, livenessBattery, objectCommitsBattery, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import examples from '../examples.json'
import { service } from '../src/app.ts'
import { BASE, send, sendWith } from './harness.ts'

const get = (path: string, sender = send) =>
  new Prober({ service, send: sender, base: BASE }).send({ method: 'GET', path })

descriptionBattery({ service, send, base: BASE, examples })

livenessBattery({ service, send, base: BASE, version: '0.1.3', facts: { cryptography: 'native' } })

objectCommitsBattery({ service, send, base: BASE, bindings: ['QUOTA_METERS', 'COUNTERS'] })

describe('the banner of pay', () => {
  it('says what it is and which key signs receipts', async () => {
    const { body } = await get('/')
    expect(body).toEqual({
      success: true,
      data: { service: 'pay', version: '0.1.3', receiptKeyB64u: expect.stringMatching(/^[A-Za-z0-9_-]{2603}$/) },
      timestamp: expect.any(Number),
    })
  })

  it('says that nothing is signed where there is no key', async () => {
    const { body } = await get('/', sendWith({ QUOTA_RECEIPT_SEED: '' }))
    expect(body).toMatchObject({ data: { receiptKeyB64u: null } })
  })
})
