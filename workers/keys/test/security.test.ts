import { battery } from '@svc/service/testing'
import { presenterOf } from '@svc/testing'
import { service } from '../src/app.ts'
import { BASE, caller, device, send } from './harness.ts'

battery({
  service,
  send,
  base: BASE,
  params: { accountDid: `did:svc:${'A'.repeat(32)}`, deviceId: 'B'.repeat(32), bundle: '0' },
  caller: async () => presenterOf(await caller()),
  deviceWith: (capabilities) => device({ capabilities }),
})
