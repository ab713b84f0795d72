import { blockAfter, type Caller, genesisOf, type Outcome, type Places } from './caller.ts'
import { createClient as consentClient } from './hey/consent/client/index.ts'
import * as consent from './hey/consent/index.ts'
import { createClient as coreClient } from './hey/core/client/index.ts'
import * as core from './hey/core/index.ts'
import { createClient as payClient } from './hey/pay/client/index.ts'
import * as pay from './hey/pay/index.ts'

export async function converse(places: Places, caller: Caller): Promise<Outcome> {
  const atCore = { client: coreClient({ baseUrl: places.core }), throwOnError: true } as const
  const atConsent = { client: consentClient({ baseUrl: places.consent }), throwOnError: true } as const
  const atPay = { client: payClient({ baseUrl: places.pay }), throwOnError: true } as const
  const toCore = (method: string, path: string, body?: object) =>
    caller.token('chain', method, places.core + path, body ? JSON.stringify(body) : '')
  const toPay = (method: string, path: string, body?: object) =>
    caller.token('provenance', method, places.pay + path, body ? JSON.stringify(body) : '')

  const genesis = await core.initGenesis({ ...atCore, body: { block: genesisOf(caller) } })

  const block = blockAfter(caller, genesis.data.data, new TextEncoder().encode('hello'))
  const body = { ...block, payloadB64u: 'aGVsbG8' }
  const appended = await core.appendBlock({ ...atCore, body, auth: toCore('POST', '/api/chain/append', body) })
  const { hash } = appended.data.data
  const read = await core.readPayload({
    ...atCore,
    path: { blockId: hash },
    auth: toCore('GET', `/api/chain/payload/${hash}`),
  })
  const blocks = await core.listBlocks({
    ...atCore,
    query: { limit: '10' },
    auth: toCore('GET', '/api/chain/blocks?limit=10'),
  })
  const again = await core.appendBlock({
    client: atCore.client,
    body: block,
    auth: toCore('POST', '/api/chain/append', block),
  })

  const preferences = { search: 'allow' } as const
  const act = { content_hash: `test:${crypto.randomUUID()}`, preferences, creator_did: caller.did }
  await consent.createConsent({
    ...atConsent,
    body: { ...act, public_key_b64u: caller.publicKeyB64u },
    auth: caller.consent(act),
  })
  const record = await consent.readConsent({ ...atConsent, path: { hash: act.content_hash } })

  const use = { kind: 'video', amount: 1, key: crypto.randomUUID() } as const
  await pay.consumeQuota({ ...atPay, body: use, auth: toPay('POST', '/quota/consume', use) })
  const quota = await pay.readQuota({ ...atPay, auth: toPay('GET', '/quota') })

  return {
    index: appended.data.data.index,
    payloadB64u: read.data.data.payloadB64u,
    versions: blocks.data.data.blocks.map(({ version }) => version),
    preferences: record.data.preferences,
    tdmReservation: record.data.projections.tdm_reservation,
    used: quota.data.data.meters.find(({ kind }) => kind === 'video')?.used,
    refused: [again.response?.status ?? 0, again.error && 'error' in again.error ? again.error.error : ''],
  }
}
