import { env } from 'cloudflare:workers'
import { guardBattery } from '@svc/service/testing'
import { service } from '../src/app.ts'
import { BASE, caller, device } from './harness.ts'

const path = '/api/commitment'

guardBattery({
  service,
  path,
  openTo: { path, capability: 'provenance:write' },
  // The same commitment however often it is sent: each owner makes it once.
  bodies: { [path]: JSON.stringify({ commitment_hash: '0f'.repeat(48) }) },
  base: BASE,
  send: async (request, replaced) => service.app.fetch(request, { ...env, ...replaced }),
  known: () => caller(),
  unknown: () => caller({ genesis: false }),
  device,
  core: env.CORE,
})
