import { env } from 'cloudflare:workers'
import { createService, defineOperation, route } from '@svc/service'
import { guardBattery } from '@svc/service/testing'
import * as z from 'zod'
import { KEYS_DESCRIPTION } from '../src/service.ts'
import { createRuntime, type Services } from '../src/services.ts'
import { BASE, caller, device } from './harness.ts'

const probe = defineOperation({
  id: 'probe',
  method: 'post',
  path: '/api/epoch/probe',
  summary: 'Who calls',
  auth: 'assertion',
  audiences: ['keys'],
  capability: 'root',
  answer: { status: 200, description: 'The caller', schema: z.strictObject({ did: z.string() }) },
})
/** The same for devices. */
const openProbe = defineOperation({
  ...probe,
  id: 'openProbe',
  path: '/api/epoch/open-probe',
  capability: 'prekeys:reserve',
})
const service = createService(KEYS_DESCRIPTION, createRuntime, [
  route<Services>()(probe, ({ caller: { did } }) => ({ did })),
  route<Services>()(openProbe, ({ caller: { did } }) => ({ did })),
])

guardBattery({
  service,
  path: probe.path,
  openTo: { path: openProbe.path, capability: openProbe.capability },
  base: BASE,
  send: async (request, replaced) => service.app.fetch(request, { ...env, ...replaced }),
  known: () => caller(),
  unknown: () => caller({ genesis: false }),
  device,
  core: env.CORE,
})
