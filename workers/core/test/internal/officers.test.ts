import { env } from 'cloudflare:workers'
import { eventHash } from '@svc/protocol/devices/inception'
import { INTERNAL_HEADER } from '@svc/service'
import { describe, expect, it } from 'vitest'
import { internalService } from '../../src/app.ts'
import { freshCaller } from '../harness.ts'
import { rotate, rotationBy, trio } from '../inception/organization.fixture.ts'
import { rotated } from '../rotation/rotation.fixture.ts'

const SECRET = 'internal-secret-of-the-tests-only'

async function internal(path: string, caller = 'did') {
  const request = new Request(`https://internal/api/internal${path}`, { headers: { [INTERNAL_HEADER]: SECRET } })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, env, context)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

/** Ann, Ben and Cat, then Ann alone. */
async function changed() {
  const made = await trio()
  const { org, ann, ben } = made
  const rotation = await rotationBy(org, { officers: [ann], approving: [ann, ben] })
  expect((await rotate(rotation)).status).toBe(200)
  return { ...made, rotation, did: org.identity.did }
}

describe('officers', () => {
  it('are returned as of now, of a version or of a time, with the event on request', async () => {
    const { did, org, officers, ann, inception, rotation } = await changed()
    const { scope } = org.identity
    const now = await internal(`/officers/${did}`)
    expect(now).toEqual({
      status: 200,
      body: {
        did,
        scope,
        version: 2,
        officers: [ann.identity.did],
        quorum: 1,
        since: expect.any(Number),
        until: null,
        deactivatedAt: null,
        rootEpoch: 0,
        held: false,
        event: null,
      },
    })
    const first = (await internal(`/officers/${did}?version=1&evidence=event`)).body
    expect(first).toMatchObject({
      version: 1,
      officers: officers.map(({ identity }) => identity.did),
      quorum: 2,
      until: now.body['since'],
    })
    expect(eventHash(first['event'] as never)).toBe(eventHash(inception))
    const second = (await internal(`/officers/${did}?at=${Number(now.body['since'])}&evidence=event`)).body
    expect(eventHash(second['event'] as never)).toBe(eventHash(rotation))
    expect((await internal(`/officers/${did}?at=${Number(first['since'])}`)).body).toMatchObject({
      since: first['since'],
    })
  })

  it('are none before the inception, for an unknown version and for an identity that is not an organization', async () => {
    const { did } = await changed()
    const person = await freshCaller()
    const first = (await internal(`/officers/${did}?version=1`)).body
    for (const path of [
      `/officers/${did}?at=${Number(first['since']) - 1}`,
      `/officers/${did}?version=3`,
      `/officers/${person.identity.did}`,
      `/officers/did:svc:${'A'.repeat(32)}`,
    ]) {
      expect(await internal(path)).toMatchObject({ status: 404, body: { error: 'not_found' } })
    }
    for (const query of ['at=1&version=1', 'at=x', 'version=-1', 'evidence=all']) {
      expect((await internal(`/officers/${did}?${query}`)).status).toBe(400)
    }
  })

  it('are available only to the DID service, and root keys to the key directory too', async () => {
    const { did } = await changed()
    for (const caller of ['provenance', 'keys', 'pay']) {
      expect((await internal(`/officers/${did}`, caller)).status).toBe(403)
      const expected = caller === 'keys' ? 200 : 403
      expect((await internal(`/root-key/${did}?epoch=0`, caller)).status).toBe(expected)
    }
  })

  it('come with the current standing of the organization, for any roster', async () => {
    const { did, org } = await changed()
    await org.client.security.placeHold()
    for (const query of ['', '?version=1']) {
      expect((await internal(`/officers/${did}${query}`)).body).toMatchObject({ rootEpoch: 0, held: true })
    }
    await org.client.security.liftHold()
    expect((await internal(`/officers/${did}`)).body).toMatchObject({ held: false })
  })
})

describe('a root key', () => {
  it('is found by epoch and by time', async () => {
    const first = await freshCaller()
    const { successor } = await rotated(first)
    const { did, scope } = first.identity
    const old = (await internal(`/root-key/${did}?epoch=0`)).body
    expect(old).toEqual({
      did,
      scope,
      epoch: 0,
      publicKeyB64u: first.identity.publicKeyB64u,
      activatedAt: expect.any(Number),
      supersededAt: expect.any(Number),
      deactivatedAt: null,
    })
    const { supersededAt, activatedAt } = old as { supersededAt: number; activatedAt: number }
    const at = async (time: number) => (await internal(`/root-key/${did}?at=${time}`)).body
    expect(await at(activatedAt)).toMatchObject({ epoch: 0 })
    expect(await at(supersededAt)).toMatchObject({
      epoch: 1,
      publicKeyB64u: successor.publicKeyB64u,
      supersededAt: null,
    })
    for (const query of [`at=${activatedAt - 1}`, 'epoch=2']) {
      expect((await internal(`/root-key/${did}?${query}`)).status).toBe(404)
    }
    for (const query of ['', 'epoch=0&at=1', 'epoch=x']) {
      expect((await internal(`/root-key/${did}?${query}`)).status).toBe(400)
    }
  })
})
