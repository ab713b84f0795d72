import { env } from 'cloudflare:workers'
import { INTERNAL_HEADER } from '@svc/service'
import { deviceOf, inceptionHeadOf } from '@svc/testing'
import { expect, it } from 'vitest'
import { internalService } from '../../src/app.ts'
import { freshCaller, send } from '../harness.ts'
import { down, refusal, SECRET } from './device.fixture.ts'

interface Named {
  readonly sequence: number | string
  readonly hash: string
}

async function ask(did: string, { sequence, hash }: Named, caller: unknown = 'did', replaced: object = {}) {
  const url = `https://internal/api/internal/inception/${did}?sequence=${sequence}&hash=${hash}`
  const request = new Request(url, { headers: { [INTERNAL_HEADER]: SECRET } })
  const context = { props: { caller }, waitUntil: () => {}, passThroughOnException: () => {} }
  const response = await internalService.app.fetch(request, { ...env, ...replaced }, context)
  return { status: response.status, body: await response.json<Record<string, unknown>>() }
}

async function withOneEvent() {
  const owner = await freshCaller()
  const genesis = await inceptionHeadOf(owner)
  await deviceOf(owner, { fetch: send, capabilities: ['chain:read'] })
  return { did: owner.identity.did, genesis, first: await inceptionHeadOf(owner) }
}

it('tells whether an inception log has an event at its number', async () => {
  const { did, genesis, first } = await withOneEvent()
  const stranger = await withOneEvent()
  for (let round = 0; round < 2; round++) {
    for (const { hash, ...named } of [genesis, first])
      expect(await ask(did, { ...named, hash })).toEqual({ status: 200, body: { did, hash, known: true } })
    for (const { sequence, hash } of [
      { ...first, sequence: 2 },
      { ...first, sequence: Number.MAX_SAFE_INTEGER },
      { ...first, sequence: 0 },
      { ...genesis, sequence: 1 },
      { ...first, hash: 'ab'.repeat(48) },
      stranger.first,
      stranger.genesis,
    ])
      expect(await ask(did, { sequence, hash })).toEqual({ status: 200, body: { did, hash, known: false } })
  }
})

it('knows no event of an identity that does not exist', async () => {
  const { hash, sequence } = (await withOneEvent()).first
  const did = `did:svc:${'A'.repeat(32)}`
  expect((await ask(did, { sequence, hash })).body).toEqual({ did, hash, known: false })
})

it('is for the services that look up events, and never guesses', async () => {
  const { did, first } = await withOneEvent()
  expect((await ask(did, first, 'keys')).status).toBe(200)
  for (const caller of ['provenance', 'pay', 'consent', 'auth', 'docs', 'core', null])
    expect(await ask(did, first, caller)).toMatchObject(refusal(403, 'forbidden'))
  const { hash } = (await withOneEvent()).first
  expect(await ask(did, { sequence: 7, hash }, 'did', { IDENTITIES: down })).toMatchObject(
    refusal(503, 'dependency_unavailable'),
  )
  for (const sequence of ['', '-1', '1e3', '01', '12345678901234567'])
    expect(await ask(did, { sequence, hash })).toMatchObject({ status: 400 })
})
