import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createService, defineOperation, route } from '@svc/service'
import { guardBattery } from '@svc/service/testing'
import * as z from 'zod'
import { KEYS_DESCRIPTION } from '../src/description.ts'
import { createRuntime, type Services } from '../src/services.ts'
import { BASE, caller, device } from './harness.ts'

const probe = defineOperation({
  id: 'probe',
  method: 'post',
  path: '/api/epoch/probe',
  summary: 'Who calls',
  auth: 'assertion',
  answer: { status: 200, description: 'The caller', schema: z.strictObject({ did: z.string() }) },
})
/** Where the service takes devices: the capability is that of the path. */
const openProbe = defineOperation({
  ...probe,
  id: 'openProbe',
  path: '/api/key-directory/{accountDid}/devices/{deviceId}/prekeys/reserve',
})
const service = createService(KEYS_DESCRIPTION, createRuntime, [
  route<Services>()(probe, ({ caller: { did } }) => ({ did })),
  route<Services>()(openProbe, ({ caller: { did } }) => ({ did })),
])

guardBattery({
  service,
  path: probe.path,
  openTo: { path: '/api/key-directory/x/devices/y/prekeys/reserve', capability: 'prekeys:reserve' },
  base: BASE,
  send: async (request, replaced) => service.app.fetch(request, { ...env, ...replaced }),
  known: () => caller(),
  unknown: () => caller({ genesis: false }),
  device,
  core: env.CORE,
  countGuards: async () => (await listDurableObjectIds(env.NONCES)).length,
})
