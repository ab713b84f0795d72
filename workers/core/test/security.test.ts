import { protocolsWith } from '@svc/protocol/events/socket'
import { battery } from '@svc/service/testing'
import { deviceOf, presenterOf } from '@svc/testing'
import { service } from '../src/app.ts'
import { ticketFor } from './events/sockets.fixture.ts'
import { CORE, freshCaller, send } from './harness.ts'
import { AUTHORIZATION, type Flow, freshParty, Meeting, PAIRING } from './rendezvous/meeting.fixture.ts'

async function delivered(flow: Flow) {
  const { offer } = await Meeting.at('delivered', flow, await freshParty())
  return { path: `${flow.result}/${offer.code}`, headers: { [flow.tokenHeader]: offer.token } }
}

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
  consumables: {
    takeSealed: () => delivered(PAIRING),
    takeGrant: () => delivered(AUTHORIZATION),
    openEventSocket: async () => ({
      path: '/api/events/socket',
      headers: {
        upgrade: 'websocket',
        'sec-websocket-protocol': protocolsWith(await ticketFor(await freshCaller())).join(', '),
      },
    }),
  },
  deviceWith: async (capabilities) => deviceOf(await freshCaller(), { fetch: send, capabilities }),
})
