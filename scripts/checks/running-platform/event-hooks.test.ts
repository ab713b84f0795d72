import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Client, Identity } from '@svc/client'
import { type ExpectedDelivery, verifyDelivery } from '@svc/client/verify'
import { sharedPlatform } from '@svc/platform/shared-platform'
import { expect, it, vi } from 'vitest'

const { urls } = sharedPlatform()

/** A server of the owner, on this machine: it answers challenges, and refuses the first page. */
async function serverOf(expected: (url: string) => Omit<ExpectedDelivery, 'after'>) {
  const told: string[] = []
  const ids: string[] = []
  let after: ExpectedDelivery['after']
  const server: Server = createServer((request, response) => {
    void (async () => {
      const delivery = await verifyDelivery(JSON.parse(await text(request)), {
        ...expected(url),
        ...(after ? { after } : {}),
      })
      if (delivery.kind === 'challenge') {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify(delivery.answer))
        return
      }
      ids.push(String(request.headers['webhook-id']))
      if (ids.length === 1) {
        response.statusCode = 503
        response.end()
        return
      }
      told.push(...delivery.events.map(({ kind }) => kind))
      after = delivery.place
      response.end()
    })()
  })
  await new Promise<void>((resolve) => {
    server.listen(0, 'localhost', resolve)
  })
  const url = `http://localhost:${(server.address() as AddressInfo).port}/hook`
  return { url, told, ids, close: () => server.close() }
}

it('tells a server of the owner what happens, again if it was not taken', async () => {
  const identity = await Identity.create()
  const client = await Client.connect({ core: urls.core ?? '', identity })
  await client.chain.genesis()
  const { signed } = await client.events.read()
  const server = await serverOf((url) => ({
    did: identity.did,
    url,
    realms: [urls.core],
    receiptKeyB64u: signed.publicKeyB64u,
  }))
  try {
    const { hookId } = await client.events.addHook(server.url)
    expect(await client.events.verifyHook(hookId)).toMatchObject({ status: 'active' })
    await client.security.placeHold()
    await vi.waitFor(() => expect(server.told).toEqual(['hook.added', 'hold.placed']), { timeout: 60_000 })
    expect(server.ids[0]).toMatch(`${hookId}.`)
    expect(await client.events.hooks()).toMatchObject([{ hookId, failure: null }])
    expect(await client.events.deleteHook(hookId)).toMatchObject({ hookId })
    await vi.waitFor(() => expect(server.told.at(-1)).toBe('hook.removed'), { timeout: 30_000 })
    await vi.waitFor(async () => expect(await client.events.hooks()).toEqual([]), { timeout: 10_000 })
  } finally {
    server.close()
  }
}, 90_000)
