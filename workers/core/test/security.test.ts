import { battery } from '@svc/service/testing'
import { deviceOf, presenterOf } from '@svc/testing'
import { service } from '../src/app.ts'
import { CORE, freshCaller, send } from './harness.ts'

battery({
  service,
  send,
  base: CORE,
  params: {
    did: `did:svc:${'A'.repeat(32)}`,
    blockId: '0',
    msgId: 'A'.repeat(22),
    code: 'AAAA-AAAA-AAAA',
    noteId: 'x',
    v: '1',
    attId: 'x',
    cipherHash: '0'.repeat(96),
    id: `asset:sha3-384:${'0'.repeat(96)}`,
  },
  caller: async () => presenterOf(await freshCaller()),
  deviceWith: async (capabilities) => deviceOf(await freshCaller(), { fetch: send, capabilities }),
})
