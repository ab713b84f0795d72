import { env } from 'cloudflare:workers'
import { createService, type ServiceApp } from '@svc/service'
import { expectRefusal, Prober } from '@svc/service/testing'
import { describe, expect, it } from 'vitest'
import { service } from '../src/app.ts'
import { quotaRoutes } from '../src/quota/routes.ts'
import { PAY_DESCRIPTION } from '../src/service.ts'
import { createRuntime } from '../src/services.ts'
import { BASE, caller } from './harness.ts'

/** `NONCES` is provenance's own namespace, in its own Worker. */
function reading(app: ServiceApp): (authorization: string) => ReturnType<Prober['send']> {
  const prober = new Prober({ service: app, base: BASE, send: async (request) => app.app.fetch(request, env) })
  return (authorization) => prober.send({ method: 'GET', path: '/quota', headers: { authorization } })
}

describe('the guard that pay and provenance share', () => {
  const asProvenance = createService({ ...PAY_DESCRIPTION, service: 'provenance' }, createRuntime, quotaRoutes)
  const [pay, provenance] = [reading(service), reading(asProvenance)]

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
