import { anchorIdOf } from '@svc/protocol/ledger/anchors'
import { REALM } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous, call, freshCaller } from '../harness.ts'
import {
  anchored,
  fill,
  freshRoot,
  indexOf,
  LOG,
  publicationOf,
  reader,
  report,
  submission,
  submit,
} from './anchors.fixture.ts'

describe('POST /api/anchors', () => {
  it('accepts a root attested by the caller’s root key, and stores it as sent', async () => {
    const caller = await freshCaller()
    const { did } = caller.identity
    const body = await submission(caller, { epoch: '2026-11-21' })
    const { status, body: record } = await submit(caller, body)
    expect(status).toBe(200)
    expect(record).toEqual({
      anchorId: anchorIdOf(did, body.root, '2026-11-21'),
      root: body.root,
      epoch: '2026-11-21',
      hashAlg: 'sha3-384',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      attestations: body.attestations,
      salt: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      status: 'submitted',
      owner: did,
      position: { log: LOG, index: expect.any(Number) },
    })
    expect(await reader().read(String(record['anchorId']))).toEqual(record)
  })

  it('returns the same anchor and place for the same root and epoch, however often and however attested', async () => {
    const caller = await freshCaller()
    const root = freshRoot()
    const first = await submit(caller, await submission(caller, { root }))
    await fill(1)
    const { attestations } = await submission(caller, { root })
    const again = await submit(caller, { root, epoch: 'e', hashAlg: 'sha3-384', attestations })
    expect(first.status).toBe(200)
    expect(again).toEqual(first)
  })

  it('creates another anchor for another epoch, root or owner', async () => {
    const [alice, bob] = [await freshCaller(), await freshCaller()]
    const root = freshRoot()
    const records = [
      await alice.client.anchors.submit({ root, epoch: '1' }),
      await alice.client.anchors.submit({ root, epoch: '2' }),
      await alice.client.anchors.submit({ root: freshRoot(), epoch: '1' }),
      await bob.client.anchors.submit({ root, epoch: '1' }),
    ]
    expect(new Set(records.map(({ anchorId }) => anchorId)).size).toBe(4)
    const [first] = records
    expect(records.map((record) => indexOf(record) - indexOf(first!))).toEqual([0, 1, 2, 3])
    expect(records.map(({ owner }) => owner === bob.identity.did)).toEqual([false, false, false, true])
  })

  it('requires an assertion', async () => {
    const body = await submission(await freshCaller())
    expect(await anonymous('POST', '/api/anchors', body)).toMatchObject({
      status: 401,
      body: { success: false, error: 'unauthorized' },
    })
  })

  it.each<[string, object]>([
    ['an empty epoch', { epoch: '' }],
    ['a root in capitals', { root: 'A7'.repeat(48) }],
    ['another hash', { hashAlg: 'sha2-256' }],
    ['no attestation', { attestations: [] }],
    ['an owner', { owner: `did:svc:${'A'.repeat(32)}` }],
  ])('answers 400 for %s', async (_, members) => {
    const caller = await freshCaller()
    const refused = await submit(caller, { ...(await submission(caller)), ...members })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })
})

describe('what a cache may keep', () => {
  const cached = async (path: string) => (await anonymous('GET', `/api/anchors/${path}`)).headers.get('cache-control')

  it('is a bundle for some seconds, and for an hour once it is confirmed', async () => {
    const { anchorId } = await anchored()
    expect(await cached(`${anchorId}/bundle`)).toBe('public, max-age=5, must-revalidate')
    await report(await publicationOf(anchorId))
    expect(await cached(`${anchorId}/bundle`)).toBe('public, max-age=5, must-revalidate')
    await report(await publicationOf(anchorId, { state: 'confirmed' }))
    expect(await cached(`${anchorId}/bundle`)).toBe('public, max-age=3600')
    expect(await cached(anchorId)).toBe('no-store')
    expect(await cached(`${'A'.repeat(32)}/bundle`)).toBe('no-store')
  })

  it('is a proof between two sizes of a log that is named', async () => {
    await anchored()
    const log = encodeURIComponent((await reader().checkpoint()).statement.log)
    expect(await cached(`consistency?first=1&second=1&log=${log}`)).toBe('public, max-age=31536000, immutable')
    expect(await cached('consistency?first=1&second=1')).toBe('public, max-age=5, must-revalidate')
    expect(await cached(`consistency?first=1&second=999999&log=${log}`)).toBe('no-store')
  })
})

describe('GET /api/anchors/{id}', () => {
  it('is 404 for an unknown anchor, whatever its id looks like', async () => {
    const unknown = { status: 404, body: { success: false, error: 'not_found' } }
    for (const path of ['', '/bundle']) {
      for (const id of ['A'.repeat(32), 'A'.repeat(31), 'A'.repeat(33), `${'A'.repeat(31)}+`, '1', '%00']) {
        expect(await anonymous('GET', `/api/anchors/${id}${path}`)).toMatchObject(unknown)
      }
    }
  })

  it('does not match the fixed names of other routes', async () => {
    const caller = await freshCaller()
    expect(await anonymous('GET', '/api/anchors/state-proof')).toMatchObject({ status: 200, body: { window: 256 } })
    expect(await anonymous('GET', '/api/anchors/checkpoint')).toMatchObject({
      status: 200,
      body: { statement: { type: 'svc/anchor-checkpoint/v1', realm: REALM } },
    })
    await fill(1)
    expect(await anonymous('GET', '/api/anchors/consistency?first=1&second=1')).toMatchObject({
      status: 200,
      body: { proof: [] },
    })
    expect((await anonymous('GET', '/api/anchors/eligibility')).status).toBe(401)
    expect(await call(caller, 'GET', '/api/anchors/eligibility')).toMatchObject({
      status: 200,
      body: { eligible: false },
    })
  })
})
