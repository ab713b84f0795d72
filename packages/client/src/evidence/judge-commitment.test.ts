import { encodeBase64url } from '@svc/protocol/base/base64url'
import { describe, expect, it } from 'vitest'
import { commitmentOf } from '../../test/commitment.ts'
import { fetchOf } from '../../test/fetch.ts'
import { REALM } from '../../test/realm.ts'
import { alice, mallory } from '../../test/sides.ts'
import { Client } from '../client.ts'
import { judged, MALFORMED, namesOf, text } from './means.fixture.ts'

const NOW = 1_790_000_000_000
const FILE = text('a plan')
const salt = new Uint8Array(32).fill(7)
const commitment = commitmentOf(salt, FILE, NOW)
const { id } = commitment
const opening = { format: 'svc/commitment-opening/v1', id, saltB64u: encodeBase64url(salt) }
const kept = { commitment: { ...commitment, duplicate: false }, saltB64u: opening.saltB64u }

function provenanceOf(found: object | null): Client {
  const fetch = fetchOf(async () =>
    found
      ? Response.json({ success: true, data: found })
      : Response.json({ success: false, error: 'not_found', timestamp: NOW }, { status: 404 }),
  )
  const places = { core: REALM, did: 'https://did.test', provenance: 'https://provenance.test' }
  return new Client({ ...places, fetch, now: () => NOW, retries: false })
}

describe.each([
  ['that svc keeps', opening],
  ['that the console keeps', kept],
])('the opening of a commitment %s', (_, value) => {
  it('is valid for its content where provenance has the commitment, and who made it and when is its word', async () => {
    const verdict = await judged('commitment', value, { client: provenanceOf(commitment), file: FILE })
    expect(verdict).toMatchObject({ verdict: 'valid', did: alice.did, subject: id, at: null })
    expect(namesOf(verdict)).toEqual(['opening ok', 'commitment unchecked'])
    expect(verdict.checks[1]?.found).toEqual({ at: NOW })
  })

  it('is invalid for other content, another identity and another salt', async () => {
    const client = provenanceOf(commitment)
    const mismatch = { subject: 'commitment', reason: 'hash_mismatch' }
    await expect(judged('commitment', value, { client, file: text('a plot') })).rejects.toMatchObject(mismatch)
    for (const means of [{ client }, {}]) {
      const expected = { ...means, file: FILE, expectedDid: mallory.did }
      await expect(judged('commitment', value, expected)).rejects.toMatchObject(mismatch)
      const other = { ...value, saltB64u: encodeBase64url(new Uint8Array(32)) }
      const means_ = { ...means, file: FILE, expectedDid: alice.did }
      await expect(judged('commitment', other, means_)).rejects.toMatchObject(mismatch)
    }
  })

  it('is unknown where provenance does not have the commitment', async () => {
    const means = { client: provenanceOf(null), file: FILE, expectedDid: alice.did }
    expect(await judged('commitment', value, means)).toMatchObject({ verdict: 'unknown', subject: id })
  })

  it('fits without a network, which proves nothing about its registration', async () => {
    const verdict = await judged('commitment', value, { file: FILE, expectedDid: alice.did })
    expect(verdict).toMatchObject({ verdict: 'undecided', needs: 'network' })
    expect(namesOf(verdict)).toEqual(['opening ok', 'registration unchecked'])
  })

  it('needs the content', async () => {
    expect(await judged('commitment', value)).toMatchObject({ verdict: 'undecided', needs: 'file' })
  })

  it('that is cut does not have its form', async () => {
    await expect(judged('commitment', { ...value, saltB64u: 'AAAA' })).rejects.toMatchObject(MALFORMED)
  })
})

it('an opening alone does not say whose commitment it is', async () => {
  const verdict = await judged('commitment', opening, { file: FILE })
  expect(verdict).toMatchObject({ verdict: 'undecided', did: null, needs: 'network' })
  expect(namesOf(verdict)).toEqual(['opening unchecked'])
})

it('a historical commitment is compared by its hash, because it keeps the id that it came with', async () => {
  const old = { ...commitment, id: 'old-1', did: null, profile: 'historical' }
  const value = { ...opening, id: 'old-1' }
  const client = provenanceOf(old)
  expect(await judged('commitment', value, { client, file: FILE })).toMatchObject({ verdict: 'valid', did: null })
  await expect(judged('commitment', value, { client, file: text('a plot') })).rejects.toMatchObject({
    reason: 'hash_mismatch',
  })
})
