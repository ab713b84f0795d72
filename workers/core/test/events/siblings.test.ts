import { env } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import type { TestCaller } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { internalService } from '../../src/app.ts'
import { freshCaller } from '../harness.ts'

const SECRET = 'internal-secret-of-the-tests-only'
const PUBLISHED = { id: 'hash', kind: 'package.published', ref: 'device' } as const

async function report(did: string, events: readonly object[], caller = 'keys', replaced = {}) {
  const request = new Request(`https://internal/api/internal/events/${did}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [INTERNAL_HEADER]: SECRET },
    body: JSON.stringify({ events }),
  })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...replaced }, context)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

const told = async ({ client }: TestCaller) =>
  (await client.events.read()).events.map(({ kind, ref }) => `${kind} ${ref}`)

describe('what a sibling reports', () => {
  it('is in the feed once, of twenty deliveries at once', async () => {
    const owner = await freshCaller()
    const answers = await Promise.all(Array.from({ length: 20 }, () => report(owner.identity.did, [PUBLISHED])))
    for (const answer of answers) expect(answer).toEqual({ status: 200, body: { taken: true } })
    expect(await told(owner)).toEqual(['package.published device'])
  })

  it('is told again for another id, and for another kind', async () => {
    const owner = await freshCaller()
    const { did } = owner.identity
    await report(did, [PUBLISHED, { ...PUBLISHED, id: 'other' }])
    await report(did, [{ ...PUBLISHED, kind: 'package.revoked' }, PUBLISHED])
    expect(await told(owner)).toEqual([
      'package.published device',
      'package.published device',
      'package.revoked device',
    ])
  })

  it('leaves nothing of an identity that does not exist', async () => {
    const { identity } = await freshCaller({ genesis: false })
    expect(await report(identity.did, [PUBLISHED])).toMatchObject({ status: 200 })
    expect(await env.IDENTITIES.getByName(identity.did).read()).toBeNull()
  })

  it.each(['did', 'provenance', 'stranger'])('is refused of %s', async (sibling) => {
    const owner = await freshCaller()
    expect(await report(owner.identity.did, [PUBLISHED], sibling)).toMatchObject({ status: 403 })
    expect(await told(owner)).toEqual([])
  })

  it('is refused of a sibling at which it did not happen', async () => {
    const owner = await freshCaller()
    expect(await report(owner.identity.did, [PUBLISHED], 'pay')).toMatchObject({ status: 403 })
    const paid = { id: 'pass:1 5', kind: 'payment.paid', ref: 'pass:1' }
    expect(await report(owner.identity.did, [paid], 'keys')).toMatchObject({ status: 403 })
    expect(await told(owner)).toEqual([])
    expect(await report(owner.identity.did, [paid], 'pay')).toMatchObject({ status: 200 })
    expect(await told(owner)).toEqual(['payment.paid pass:1'])
  })

  it('is not taken if it is none of the kinds that it may be', async () => {
    const owner = await freshCaller()
    for (const kind of ['hold.placed', 'inbox.message', 'package.split']) {
      expect(await report(owner.identity.did, [{ ...PUBLISHED, kind }])).toMatchObject({ status: 400 })
    }
    expect(await told(owner)).toEqual([])
  })

  it('is not taken while the identity cannot be reached', async () => {
    const owner = await freshCaller()
    const cutOff = { getByName: () => ({ reportEvents: () => Promise.reject(new Error('unreachable')) }) }
    const answer = await report(owner.identity.did, [PUBLISHED], 'keys', { IDENTITIES: cutOff })
    expect(answer).toMatchObject({ status: 503, body: { error: 'dependency_unavailable' } })
  })
})
