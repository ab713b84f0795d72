import { hashHex } from '@svc/protocol/base/hash'
import { describe, expect, it } from 'vitest'
import { type Circumstances, refused, utf8, verdict } from './assertion.fixture.ts'

const wrong = (member: 'htm' | 'htu' | 'bodyHash') => refused({ reason: 'binding', member })
const at = (target: string, method = 'GET'): Circumstances => ({ request: { target, method } })

describe('htm', () => {
  it('binds the method, exactly', async () => {
    expect((await verdict({ htm: 'POST' }, at('/x', 'POST'))).ok).toBe(true)
    for (const htm of ['GET', 'post', 'POST ', '', '*']) {
      expect(await verdict({ htm }, at('/x', 'POST'))).toEqual(wrong('htm'))
    }
  })

  it('binds nothing if absent', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) expect((await verdict({}, at('/x', method))).ok).toBe(true)
  })
})

describe('htu', () => {
  const target = '/api/chain/blocks?from=1&limit=2'

  it('binds the URL on any of the deployment’s own origins', async () => {
    for (const origin of ['https://core.example', 'https://alias.example:8443']) {
      expect((await verdict({ htu: origin + target }, at(target))).ok).toBe(true)
    }
  })

  it.each([
    'https://other.example/api/chain/blocks?from=1&limit=2',
    'https://core.example.evil/api/chain/blocks?from=1&limit=2',
    'https://alias.example/api/chain/blocks?from=1&limit=2',
    'http://core.example/api/chain/blocks?from=1&limit=2',
    'https://CORE.example/api/chain/blocks?from=1&limit=2',
    'https://core.example:443/api/chain/blocks?from=1&limit=2',
    'https://user@core.example/api/chain/blocks?from=1&limit=2',
    'https://core.example//api/chain/blocks?from=1&limit=2',
    'https://core.example/api/chain/blocks',
    'https://core.example/api/chain/blocks?limit=2&from=1',
    'https://core.example/api/chain/blocks?from=1&limit=2&',
    'https://core.example/api/chain/blocks?from=1&limit=20',
    'https://core.example/api/chain/blocks?from=1&limit=2#x',
    'https://core.example/api/chain/head?from=1&limit=2',
    'https://core.example',
    '/api/chain/blocks?from=1&limit=2',
    '',
  ])('refuses %j', async (htu) => {
    expect(await verdict({ htu }, at(target))).toEqual(wrong('htu'))
  })

  it('refuses a query that was added to a bound URL', async () => {
    expect(await verdict({ htu: 'https://core.example/api/chain/blocks' }, at(target))).toEqual(wrong('htu'))
  })

  it('refuses every URL if the deployment has no origins', async () => {
    const circumstances = { ...at(target), policy: { expectedOrigins: [] } }
    expect(await verdict({ htu: `https://core.example${target}` }, circumstances)).toEqual(wrong('htu'))
  })
})

describe('bodyHash', () => {
  const body = utf8('{"index":"1"}')
  const hash = hashHex(body)
  const withBody = (bodyHash: () => Promise<string | null>): Circumstances => ({ request: { bodyHash } })

  it('binds the bytes of the body', async () => {
    expect(
      (
        await verdict(
          { bodyHash: hash },
          withBody(() => Promise.resolve(hash)),
        )
      ).ok,
    ).toBe(true)
    const other = hashHex(utf8('{"index": "1"}'))
    expect(
      await verdict(
        { bodyHash: hash },
        withBody(() => Promise.resolve(other)),
      ),
    ).toEqual(wrong('bodyHash'))
  })

  it('binds the absence of a body', async () => {
    const empty = hashHex(new Uint8Array())
    expect(
      (
        await verdict(
          { bodyHash: empty },
          withBody(() => Promise.resolve(empty)),
        )
      ).ok,
    ).toBe(true)
    expect(
      await verdict(
        { bodyHash: empty },
        withBody(() => Promise.resolve(hash)),
      ),
    ).toEqual(wrong('bodyHash'))
  })

  it('leaves a body to a caller that rejects it itself', async () => {
    const unread = withBody(() => Promise.resolve(null))
    expect(await verdict({ bodyHash: hash }, unread)).toMatchObject({ ok: true })
  })

  it('accepts only lowercase hex', async () => {
    for (const bodyHash of [hash.toUpperCase(), `sha3-384:${hash}`, hash.slice(2)]) {
      expect(
        await verdict(
          { bodyHash },
          withBody(() => Promise.resolve(hash)),
        ),
      ).toEqual(wrong('bodyHash'))
    }
  })

  it('is enforced independently of the other bindings', async () => {
    const all = { htm: 'POST', htu: 'https://core.example/x', bodyHash: hash }
    const request = { method: 'POST', target: '/x', bodyHash: () => Promise.resolve(hash) }
    expect((await verdict(all, { request })).ok).toBe(true)
    expect(await verdict(all, { request: { ...request, method: 'PUT' } })).toEqual(wrong('htm'))
    expect(await verdict(all, { request: { ...request, target: '/y' } })).toEqual(wrong('htu'))
    const tampered = { ...request, bodyHash: () => Promise.resolve(hashHex(utf8('x'))) }
    expect(await verdict(all, { request: tampered })).toEqual(wrong('bodyHash'))
  })
})
