import createClient, { type Middleware } from 'openapi-fetch'
import { blockAfter, type Caller, genesisOf, type Outcome, type Places } from './caller.ts'
import type { paths as Consent } from './types/consent.ts'
import type { paths as Core } from './types/core.ts'
import type { paths as Pay } from './types/pay.ts'

/** Sends an assertion for each request, as the document says: HTTP bearer. */
const asserting = (caller: Caller, audience: string): Middleware => ({
  async onRequest({ request }) {
    const body = await request.clone().text()
    request.headers.set('Authorization', `Bearer ${caller.token(audience, request.method, request.url, body)}`)
  },
})

export async function converse(places: Places, caller: Caller): Promise<Outcome> {
  const core = createClient<Core>({ baseUrl: places.core })
  const consent = createClient<Consent>({ baseUrl: places.consent })
  const pay = createClient<Pay>({ baseUrl: places.pay })

  const genesis = await core.POST('/api/genesis/init', { body: { block: genesisOf(caller) } })
  if (!genesis.data) throw new Error(JSON.stringify(genesis.error))

  core.use(asserting(caller, 'chain'))
  const payload = new TextEncoder().encode('hello')
  const block = blockAfter(caller, genesis.data.data, payload)
  const appended = await core.POST('/api/chain/append', { body: { ...block, payloadB64u: 'aGVsbG8' } })
  if (!appended.data) throw new Error(JSON.stringify(appended.error))
  const { hash } = appended.data.data
  const read = await core.GET('/api/chain/payload/{blockId}', { params: { path: { blockId: hash } } })
  const blocks = await core.GET('/api/chain/blocks', { params: { query: { limit: '10' } } })
  const again = await core.POST('/api/chain/append', { body: block })

  const preferences = { search: 'allow' } as const
  const act = { content_hash: `test:${crypto.randomUUID()}`, preferences, creator_did: caller.did }
  const declared = await consent.POST('/api/v1/consent', {
    body: { ...act, public_key_b64u: caller.publicKeyB64u },
    headers: { 'X-Svc-Signature': caller.consent(act) },
  })
  if (!declared.data) throw new Error(JSON.stringify(declared.error))
  const record = await consent.GET('/api/v1/consent/{hash}', { params: { path: { hash: act.content_hash } } })
  if (!record.data) throw new Error(JSON.stringify(record.error))

  pay.use(asserting(caller, 'provenance'))
  const consumed = await pay.POST('/quota/consume', { body: { kind: 'video', amount: 1, key: crypto.randomUUID() } })
  if (!consumed.data) throw new Error(JSON.stringify(consumed.error))
  const quota = await pay.GET('/quota')

  return {
    index: appended.data.data.index,
    payloadB64u: read.data?.data.payloadB64u ?? null,
    versions: blocks.data?.data.blocks.map(({ version }) => version) ?? [],
    preferences: record.data.preferences,
    tdmReservation: record.data.projections.tdm_reservation,
    used: quota.data?.data.meters.find(({ kind }) => kind === 'video')?.used,
    refused: [again.response.status, again.error && 'error' in again.error ? again.error.error : ''],
  }
}
