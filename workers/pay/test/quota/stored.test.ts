import { env } from 'cloudflare:workers'
import { TIER_BUDGETS } from '@svc/protocol/pay/tiers'
import { describe, expect, it } from 'vitest'
import { call, caller } from '../harness.ts'

describe('what an identity keeps at core', () => {
  it('is told beside its meters', async () => {
    const owner = await caller()
    await owner.client.chain.append({ payload: new Uint8Array(100), contentType: 'a/b' })
    const stored = await owner.client.quota.stored()
    expect(stored).toMatchObject({
      tier: 'notes',
      bytes: { used: 2 * 8_192 + 100, limit: TIER_BUDGETS.notes.storedBytes },
      rows: { used: 2, limit: 20_000 },
    })
    expect(stored?.byKind.chain).toEqual({ bytes: 2 * 8_192 + 100, rows: 2 })
  })

  it('is null if core does not answer that', async () => {
    const owner = await caller()
    const broken = {
      fetch: async (input: string | Request, init?: RequestInit) => {
        const request = new Request(input, init)
        return request.url.includes('/stored/') ? new Response('', { status: 500 }) : env.CORE.fetch(request)
      },
    }
    const { status, body } = await call(owner, 'GET', '/quota', { replaced: { CORE: broken } })
    expect(status).toBe(200)
    expect(body).toMatchObject({ data: { stored: null, meters: [{}, {}, {}, {}] } })
  })
})
