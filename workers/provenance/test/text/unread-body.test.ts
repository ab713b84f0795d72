import { env } from 'cloudflare:workers'
import { hashTextHex } from '@svc/protocol/base/hash'
import { coreAnswering } from '@svc/service/testing'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../../src/app.ts'
import { BASE, caller } from '../harness.ts'
import { REGISTER, registrationOf, textOf } from './text.fixture.ts'

const TEXT = JSON.stringify(registrationOf(textOf('unread', 40)))

/** A registration whose assertion binds its body, and how often the service asked for a piece of it. */
async function post(by: TestCaller, replaced: object = {}, bodyHash = hashTextHex(TEXT)) {
  let pulled = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1
        controller.enqueue(new TextEncoder().encode(TEXT))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { authorization: await by.assertion('provenance', { bodyHash }) }
  const request = new Request(`${BASE}${REGISTER}`, { method: 'POST', body, headers })
  const { status } = await service.app.fetch(request, { ...env, ...replaced })
  return { status, pulled }
}

describe('the body of a text registration', () => {
  it('is read for a key that core knows', async () => {
    expect(await post(await caller())).toEqual({ status: 200, pulled: 1 })
  })

  it('is not read for a key that core does not know', async () => {
    expect(await post(await caller({ genesis: false }))).toEqual({ status: 401, pulled: 0 })
  })

  it('is not read while core cannot answer', async () => {
    const replaced = { CORE: coreAnswering(() => Promise.reject(new Error('down'))) }
    expect(await post(await caller(), replaced)).toEqual({ status: 503, pulled: 0 })
  })

  it('spends nothing if the assertion binds another', async () => {
    const by = await caller()
    expect(await post(by, {}, hashTextHex('{}'))).toEqual({ status: 401, pulled: 1 })
  })
})
