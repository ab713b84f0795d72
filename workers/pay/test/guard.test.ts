import { env } from 'cloudflare:workers'
import { guardBattery } from '@svc/service/testing'
import { service } from '../src/app.ts'
import { BASE, caller, device } from './harness.ts'

const path = '/quota/consume'

guardBattery({
  service,
  path,
  openTo: { path, capability: 'quota:consume' },
  // The same use however often it is sent: it counts once for each owner.
  bodies: { [path]: JSON.stringify({ kind: 'search', key: 'probe' }) },
  base: BASE,
  send: async (request, replaced) => service.app.fetch(request, { ...env, ...replaced }),
  known: () => caller(),
  unknown: () => caller({ genesis: false }),
  device,
  core: env.CORE,
})
