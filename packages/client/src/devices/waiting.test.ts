import { OFFER_LIFETIME_MS } from '@svc/protocol/devices/rendezvous'
import { describe, expect, it } from 'vitest'
import { CORE, NOW, POLL_MS } from '../../test/fake-relay.ts'
import { fetchOf } from '../../test/fetch.ts'
import { alice, attested, deliver, FLOW_NAMES, invitation, KEY, sides, tablet } from '../../test/sides.ts'
import { Client } from '../client.ts'

/** A client for one side, for which something happens during each pause. */
function waiting(
  { relay }: ReturnType<typeof sides>,
  happenings: readonly (() => Promise<unknown>)[],
  identity?: typeof alice,
) {
  const pauses: number[] = []
  const sleep = async (ms: number) => {
    await happenings[pauses.length]?.()
    pauses.push(ms)
  }
  const options = { core: CORE, did: 'https://did.test', fetch: fetchOf(relay.fetch), now: () => NOW, sleep }
  return { pauses, client: new Client({ ...options, ...(identity && { identity }) }) }
}

describe.each(FLOW_NAMES)('waiting for the other side: %s', (flow) => {
  it('asks at the interval of the service until a device has joined', async () => {
    const both = sides()
    const nothing = async () => {}
    const { client, pauses } = waiting(both, [nothing, () => both.device[flow].join(invitation, tablet)], alice)
    const request = await client[flow].wait(invitation)
    expect(request.acceptance.statement.deviceId).toBe(tablet.deviceId)
    expect(pauses).toEqual([POLL_MS, POLL_MS])
  })

  it('asks until the delivery is there, and takes it', async () => {
    const both = sides()
    await both.device[flow].join(invitation, tablet)
    const attestation = await attested(both.owner, tablet)
    const { client, pauses } = waiting(both, [() => deliver(both.owner, flow, attestation)])
    expect(await client[flow].waitToTake(invitation, tablet)).toMatchObject({ attestation, payload: KEY })
    expect(pauses).toEqual([POLL_MS])
  })

  it('waits as long as a refused request has to, and asks again', async () => {
    const both = sides()
    await both.device[flow].join(invitation, tablet)
    const attestation = await attested(both.owner, tablet)
    await deliver(both.owner, flow, attestation)
    const { relay } = both
    let refused = 0
    const limited = async (request: Request) => {
      refused += 1
      if (refused > 2) return relay.fetch(request)
      const headers = { 'retry-after': '37' }
      return Response.json({ success: false, error: 'rate_limited', retryAfter: 37 }, { status: 429, headers })
    }
    const pauses: number[] = []
    const sleep = async (ms: number) => void pauses.push(ms)
    const options = { core: CORE, did: 'https://did.test', fetch: fetchOf(limited), now: () => NOW, sleep }
    expect(await new Client(options)[flow].waitToTake(invitation, tablet)).toMatchObject({ payload: KEY })
    expect(pauses).toEqual([37_000, 37_000])
  })

  it('is not given up halfway when the address has used up its requests', async () => {
    const both = sides()
    await both.device[flow].join(invitation, tablet)
    const { relay } = both
    const refused = new Set<string>()
    // Refuses each request of the rendezvous once, before it is handled.
    const limited = async (request: Request) => {
      const { method, url } = request
      const about = `${method} ${new URL(url).pathname}`
      if (!/\/api\/(?:pair|authorize)\//.test(about) || refused.has(about)) return relay.fetch(request)
      refused.add(about)
      const headers = { 'retry-after': '60' }
      return Response.json({ success: false, error: 'rate_limited', retryAfter: 60 }, { status: 429, headers })
    }
    const pauses: number[] = []
    const sleep = async (ms: number) => void pauses.push(ms)
    const options = { core: CORE, did: 'https://did.test', fetch: fetchOf(limited), now: () => NOW, sleep }
    const owner = new Client({ ...options, identity: alice })
    await expect(owner[flow].approve(invitation, 'AAAA-BBBB-CCCC')).rejects.toMatchObject({ reason: 'mismatch' })
    const attestation = await attested(both.owner, tablet)
    await deliver(owner, flow, attestation)
    expect(pauses).toEqual([60_000, 60_000])
    expect(await both.device[flow].take(invitation, tablet)).toMatchObject({ attestation, payload: KEY })
  })

  it('ends at the latest when the offer has expired', async () => {
    const both = sides()
    await both.device[flow].join(invitation, tablet)
    const always = async () => Response.json({ success: false, error: 'rate_limited', retryAfter: 60 }, { status: 429 })
    let now = NOW
    const sleep = async (ms: number) => {
      now += ms
    }
    const options = { core: CORE, did: 'https://did.test', fetch: fetchOf(always), now: () => now, sleep }
    const owner = new Client({ ...options, identity: alice })
    await expect(owner[flow].approve(invitation, 'AAAA-BBBB-CCCC')).rejects.toMatchObject({ error: 'rate_limited' })
    expect(now - NOW).toBe(OFFER_LIFETIME_MS)
  })

  it('never asks without a pause', async () => {
    const both = sides()
    both.relay.tamper.state = (data) => ({ ...data, pollIntervalMs: 1 })
    const { client, pauses } = waiting(both, [() => both.device[flow].join(invitation, tablet)], alice)
    await client[flow].wait(invitation)
    expect(pauses).toEqual([1_000])
  })

  it('ends with the signal, and with a refusal that is not about the time', async () => {
    const both = sides()
    const controller = new AbortController()
    const end = async () => controller.abort(new Error('enough'))
    const { client } = waiting(both, [end], alice)
    await expect(client.with({ signal: controller.signal })[flow].wait(invitation)).rejects.toThrow('enough')
    const gone = async () => Response.json({ success: false, error: 'not_found', message: 'gone' }, { status: 404 })
    const late = new Client({ core: CORE, did: 'https://did.test', fetch: fetchOf(gone) })
    await expect(late[flow].waitToTake(invitation, tablet)).rejects.toMatchObject({ error: 'not_found' })
  })
})
