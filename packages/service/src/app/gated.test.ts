import { err } from '@svc/protocol/base/result'
import { Limiter } from '@svc/rate-limit'
import { describe, expect, it, vi } from 'vitest'
import * as z from 'zod'
import { ApiError } from '../answer/api-error.ts'
import { REFUSAL_NAMES } from '../auth/gate.ts'
import { FOREIGN_ORIGIN, Prober } from '../testing/prober.ts'
import { defineOperation, gated, route } from './operation.ts'
import { TOY_BASE, toy, toyRuntime } from './service.fixture.ts'

const write = defineOperation({
  id: 'write',
  method: 'post',
  path: '/things/{id}',
  summary: 'What can be off',
  auth: 'assertion',
  audiences: ['chain'],
  capability: 'root',
  params: z.strictObject({ id: z.string().regex(/^[0-9]+$/) }),
  body: z.strictObject({ n: z.number() }),
  answer: { status: 200, description: 'Written', schema: z.null() },
})

function switched(isOn: boolean, allowed = true) {
  const spend = vi.fn(async () => err({ reason: 'replay' as const }))
  const routes = gated(() => {
    if (!isOn) throw new ApiError('device_keys_disabled')
  }, [route<unknown>()(write, () => null)])
  const { service, send } = toy(routes, { refusals: REFUSAL_NAMES }, () => ({
    ...toyRuntime(),
    limiter: new Limiter('toy', () => ({ limit: async () => ({ success: allowed }) })),
    gate: { skewMs: 0, acceptsDevices: true, spend },
  }))
  const prober = new Prober({ service, send, base: TOY_BASE })
  const post = (path: string, headers: Record<string, string> = {}, body: string = '{') =>
    prober.send({ method: 'POST', path, headers, body })
  return { spend, post }
}

describe('a route behind a switch', () => {
  it('says so, while it is off, before it looks at credential, path or body', async () => {
    const { post, spend } = switched(false)
    for (const path of ['/things/1', '/things/x']) {
      for (const headers of [{}, { authorization: 'Bearer x' }, { 'content-type': 'text/plain' }]) {
        expect(await post(path, headers)).toMatchObject({ status: 403, error: 'device_keys_disabled' })
      }
    }
    expect(spend).not.toHaveBeenCalled()
  })

  it('says so after the limits and the origin', async () => {
    expect(await switched(false, false).post('/things/1')).toMatchObject({ status: 429 })
    const foreign = await switched(false).post('/things/1', { origin: FOREIGN_ORIGIN })
    expect(foreign).toMatchObject({ status: 403, error: 'cors_denied' })
  })

  it('is like any other while it is on', async () => {
    expect(await switched(true).post('/things/1')).toMatchObject({ status: 401, error: 'unauthorized' })
  })
})
