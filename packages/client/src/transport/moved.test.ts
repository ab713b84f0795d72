import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { Identity } from '../identity/identity.ts'
import type { Call } from './call.ts'
import { Transport } from './transport.ts'

const OLD = 'https://old.test'
const NEW = 'https://new.test'
const alice = await Identity.fromSeeds({ signing: new Uint8Array(32).fill(1), kem: new Uint8Array(32).fill(2) })
const read: Call = { method: 'GET', url: `${OLD}/x?y=1`, audience: 'chain' }
const answer = z.object({ at: z.string() })

/** Answers with its URL, or with a redirect where `moves` has one for it. */
function network(moves: Record<string, string>) {
  const requests: Request[] = []
  const fetch = async (request: Request): Promise<Response> => {
    requests.push(request)
    const location = moves[request.url]
    if (location !== undefined) return new Response(null, { status: 301, headers: { location } })
    return Response.json({ at: request.url })
  }
  const transport = new Transport({ realm: REALM, fetch: fetchOf(fetch), now: () => 1_790_000_000_000 }, alice)
  return { requests, transport }
}
const payloadOf = (request: Request | undefined) => {
  const [, encoded = ''] = /^ServiceAssertion ([^.]+)\./.exec(request?.headers.get('authorization') ?? '') ?? []
  return JSON.parse(Buffer.from(encoded, 'base64url').toString()) as { htu: string; nonce: string }
}

describe('a service that has moved', () => {
  it('is followed once on a read, with an assertion for where it is now', async () => {
    const { requests, transport } = network({ [`${OLD}/x?y=1`]: `${NEW}/x?y=1` })
    expect(await transport.json(read, answer)).toEqual({ at: `${NEW}/x?y=1` })
    expect(requests.map(({ url }) => url)).toEqual([`${OLD}/x?y=1`, `${NEW}/x?y=1`])
    const [first, second] = requests.map(payloadOf)
    expect([first?.htu, second?.htu]).toEqual([`${OLD}/x?y=1`, `${NEW}/x?y=1`])
    expect(first?.nonce).not.toBe(second?.nonce)
  })

  it('is asked at its new address from then on, writes included', async () => {
    const { requests, transport } = network({ [`${OLD}/x?y=1`]: `${NEW}/x?y=1` })
    await transport.json(read, answer)
    await transport.json({ method: 'POST', url: `${OLD}/z`, audience: 'chain', body: {} }, answer)
    await transport.json({ method: 'GET', url: 'https://other.test/z' }, answer)
    expect(requests.slice(2).map(({ url }) => url)).toEqual([`${NEW}/z`, 'https://other.test/z'])
    expect(payloadOf(requests[2]).htu).toBe(`${NEW}/z`)
  })

  it('is not followed twice', async () => {
    const { requests, transport } = network({ [`${OLD}/x?y=1`]: `${NEW}/x?y=1`, [`${NEW}/x?y=1`]: `${OLD}/x?y=1` })
    await expect(transport.json(read, answer)).rejects.toMatchObject({ status: 301 })
    expect(requests).toHaveLength(2)
  })

  it('is not followed on from where it moved to, later either', async () => {
    const moves: Record<string, string> = { [`${OLD}/x?y=1`]: `${NEW}/x?y=1` }
    const { requests, transport } = network(moves)
    await transport.json(read, answer)
    moves[`${NEW}/x?y=1`] = 'https://third.test/x?y=1'
    await expect(transport.json(read, answer)).rejects.toMatchObject({ status: 301 })
    expect(requests).toHaveLength(3)
  })

  it('is not followed on a write, whose body would be lost', async () => {
    const { requests, transport } = network({ [`${OLD}/x?y=1`]: `${NEW}/x?y=1` })
    await expect(transport.json({ ...read, method: 'POST', body: {} }, answer)).rejects.toMatchObject({ status: 301 })
    expect(requests).toHaveLength(1)
  })

  it.each([
    ['another path', `${NEW}/other?y=1`],
    ['another query', `${NEW}/x?y=2`],
    ['no TLS', 'http://new.test/x?y=1'],
    ['itself', `${OLD}/x?y=1`],
    ['nothing that is a URL', '/x?y=1'],
    ['a scheme that is none of the web', 'javascript:alert(1)'],
  ])('is not followed to %s', async (_, location) => {
    const { requests, transport } = network({ [`${OLD}/x?y=1`]: location })
    await expect(transport.json(read, answer)).rejects.toMatchObject({ status: 301 })
    expect(requests).toHaveLength(1)
  })

  it('is named where a browser hides where to', async () => {
    const hidden = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' })
    const transport = new Transport({ realm: REALM, fetch: async () => hidden })
    const asked = transport.json({ method: 'GET', url: `${OLD}/x` }, answer)
    await expect(asked).rejects.toMatchObject({ status: 301, message: expect.stringContaining('has moved') })
  })
})
