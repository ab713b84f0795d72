import { battery } from '@svc/service/testing'
import { presenterOf } from '@svc/testing'
import { service } from '../src/app.ts'
import { BASE, caller, device, send } from './harness.ts'

battery({
  service,
  send,
  base: BASE,
  params: {
    assetId: `asset:sha3-384:${'0f'.repeat(48)}`,
    id: `commitment-${'0f'.repeat(16)}`,
    file: `${'a7'.repeat(48)}.akpb`,
    version: '1.30.0',
  },
  caller: async () => presenterOf(await caller()),
  deviceWith: (capabilities) => device({ capabilities }),
})
