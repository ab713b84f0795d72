import { battery } from '@svc/service/testing'
import { presenterOf } from '@svc/testing'
import { service } from '../src/app.ts'
import { BASE, caller, device, send } from './harness.ts'

battery({
  service,
  send,
  base: BASE,
  params: { file: `${'a7'.repeat(48)}.akpb`, version: '1.30.0' },
  caller: async () => presenterOf(await caller()),
  deviceAuthorization: async (capabilities, audience) => (await device({ capabilities })).assertion(audience),
})
