import { battery } from '@svc/service/testing'
import { presenterOf } from '@svc/testing'
import { service } from '../src/app.ts'
import { BASE, caller, device, send } from './harness.ts'

battery({
  service,
  send,
  base: BASE,
  params: { id: '0c1f7f0e-6f0b-4f5e-9b68-0d2f3f6d7a11', sku: 'provenance-month' },
  caller: async () => presenterOf(await caller()),
  deviceWith: (capabilities) => device({ capabilities }),
})
