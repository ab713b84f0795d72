import { env } from 'cloudflare:workers'
import { createService, defineOperation, route, type ServiceDescription } from '@svc/service'
import { expectRefusal, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { PAY_DESCRIPTION } from '../src/description.ts'
import { createRuntime, type Services } from '../src/services.ts'
import { BASE, caller } from './harness.ts'

const probe = defineOperation({
  id: 'probe',
  method: 'post',
  path: '/quota/probe',
  summary: 'Who calls',
  auth: 'assertion',
  answer: { status: 200, description: 'The caller', schema: z.strictObject({ did: z.string() }) },
})

/** The probe as a service of this description has it. `NONCES` is provenance's own namespace, in its own Worker. */
function probed(description: ServiceDescription): (authorization: string) => ReturnType<Prober['send']> {
  const service = createService(description, createRuntime, [
    route<Services>()(probe, ({ caller: { did } }) => ({ did })),
  ])
  const prober = new Prober({ service, base: BASE, send: async (request) => service.app.fetch(request, env) })
  return (authorization) => prober.send({ method: 'POST', path: probe.path, headers: { authorization } })
}

describe('the guard that pay and provenance share', () => {
  const [pay, provenance] = [probed(PAY_DESCRIPTION), probed({ ...PAY_DESCRIPTION, service: 'provenance' })]

  it('spends for both what is spent at one', async () => {
    for (const [first, second] of [
      [pay, provenance],
      [provenance, pay],
    ] as const) {
      const assertion = await (await caller()).assertion('provenance')
      expect((await first(assertion)).status).toBe(200)
      expectRefusal(await second(assertion), 'assertion_replay')
    }
  })

  it('lets one through of uses at both at once', async () => {
    const assertion = await (await caller()).assertion('provenance')
    const uses = Array.from({ length: 10 }, (_, i) => (i % 2 === 0 ? pay : provenance)(assertion))
    expect((await Promise.all(uses)).filter(({ status }) => status === 200)).toHaveLength(1)
  })
})
