import { encodeBase64url } from '@svc/protocol/base/base64url'
import { hashHex, toHex } from '@svc/protocol/base/hash'
import { type Json, jcsBytes } from '@svc/protocol/base/jcs'
import { entriesAnswerSchema } from '@svc/protocol/keys/transparency'
import { type AnchorBodies, anchorBodiesSchema, loggedAnchorOf } from '@svc/protocol/ledger/anchor-feed'
import { anchorEntry, loggedOf } from '@svc/protocol/ledger/anchor-log'
import type { GovernanceAttestation } from '@svc/protocol/ledger/attestations'
import { entryHash, openEntry } from '@svc/protocol/merkle/entries'
import { merkleRoot } from '@svc/protocol/merkle/tree'
import { REALMS } from '@svc/testing'
import { describe, expect, it } from 'vitest'
import { anonymous } from '../harness.ts'
import { anchored, fill, indexOf, LOG, reader, sizeOf } from './anchors.fixture.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'
const HOUR = 'public, max-age=3600'

const OF_LOG = `?log=${encodeURIComponent(LOG)}`

async function entries(bundle: number, query = OF_LOG) {
  const { body, headers } = await anonymous('GET', `/api/anchors/feed/entries/${bundle}${query}`)
  return { ...entriesAnswerSchema.parse(body), cache: headers.get('cache-control') }
}

async function bodies(from: number, query = OF_LOG): Promise<AnchorBodies & { cache: string | null }> {
  const { body, headers } = await anonymous('GET', `/api/anchors/feed/bodies/${from}${query}`)
  return { ...anchorBodiesSchema.parse(body), cache: headers.get('cache-control') }
}

/** As large as one attestation can be made by a stranger: the form of many, whose signatures nobody checks here. */
const large = Array.from({ length: 24 }, (): GovernanceAttestation => {
  const text = (bytes: number) => encodeBase64url(crypto.getRandomValues(new Uint8Array(bytes)))
  return {
    alg: 'ml-dsa-65',
    publicKeyB64u: text(1952),
    signatureB64u: text(3309),
    signedAt: '2026-11-21T12:00:00.000Z',
  }
})

describe('the log in bulk', () => {
  it('begins with the opening, which has no body', async () => {
    const record = await anchored()
    const { cache, ...first } = await entries(0)
    expect(first).toMatchObject({ log: LOG, from: 0, size: 2 })
    expect(first.entries[0]).toBe(openEntry(LOG, null))
    expect(cache).toContain('max-age=5')
    const page = await bodies(0, `?log=${encodeURIComponent(LOG)}`)
    expect(page).toMatchObject({ log: LOG, from: 0, to: 2, isFull: false })
    expect(page.bodies).toEqual([{ index: indexOf(record), ...loggedOf(record) }])
    expect(page.cache).toContain('max-age=5')
  })

  it('leads to the signed root, and to every anchor with valid attestations', async () => {
    const records = [await anchored(), await anchored()]
    const { statement } = await reader().checkpoint()
    const { entries: lines } = await entries(0)
    expect(toHex(merkleRoot(lines.slice(0, statement.size).map(entryHash)))).toBe(statement.root)
    const page = await bodies(indexOf(records[0]!))
    for (const record of records) {
      const body = page.bodies.find(({ anchorId }) => anchorId === record.anchorId)
      const { position, status: _, ...logged } = record
      expect(await loggedAnchorOf(lines[position?.index ?? -1] ?? '', body, REALMS)).toEqual({
        ok: true,
        value: logged,
      })
    }
  })

  it('has pages for caches where the log does not cut them off: entries for good, bodies for an hour', async () => {
    await fill(300 - (await sizeOf()))
    expect((await entries(0)).cache).toBe(IMMUTABLE)
    // The open log is another one after a roll.
    expect((await entries(0, '')).cache).not.toBe(IMMUTABLE)
    expect((await bodies(0, '')).cache).not.toBe(HOUR)
    const seen: number[] = []
    for (let from = 0; from < 256; ) {
      const page = await bodies(from)
      expect([page.cache, page.isFull]).toEqual([HOUR, true])
      seen.push(...page.bodies.map(({ index }) => index))
      from = page.to
    }
    expect(seen).toEqual(Array.from({ length: 255 }, (_, i) => i + 1))
    expect(await bodies(250)).toMatchObject({ from: 250, to: 256, isFull: true })
    expect(await bodies(256)).toMatchObject({ from: 256, to: 300, isFull: false })
  })

  it('ends a page at 1 MiB, and continues with the next leaf', async () => {
    const start = await sizeOf()
    await fill(10, { attestations: large })
    const page = await bodies(start)
    expect(page.isFull).toBe(true)
    expect(page.bodies.length).toBeGreaterThan(1)
    expect(page.to).toBe(start + page.bodies.length)
    expect(JSON.stringify(page.bodies).length).toBeLessThan(1_048_576)
    expect((await bodies(page.to)).bodies[0]?.index).toBe(page.to)
  })

  it.each([
    '/api/anchors/feed/entries/9',
    '/api/anchors/feed/bodies/2560',
    '/api/anchors/feed/entries/0?log=unknown',
    '/api/anchors/feed/bodies/0?log=unknown',
  ])('answers 404 for what it does not have: %s', async (path) => {
    expect(await anonymous('GET', path)).toMatchObject({ status: 404, body: { error: 'not_found' } })
  })
})

describe('a stranger who knows what was anchored', () => {
  it('cannot find it in what is kept for ever, without the salt', async () => {
    const { salt, ...known } = await anchored()
    const { entries: lines } = await entries(Math.floor(indexOf(known) / 256))
    const leaf = anchorEntry({ salt, ...known })
    expect(lines).toContain(leaf)
    const { anchorId, root, epoch, owner, createdAt, attestations, hashAlg } = known
    const [attestation] = attestations
    const told = [anchorId, root, owner, owner.slice('did:svc:'.length), createdAt, String(Date.parse(createdAt))]
    for (const text of [...told, salt, attestation!.publicKeyB64u, attestation!.signatureB64u])
      expect(lines.join('\n')).not.toContain(text)
    // Everything but the salt, in the form of the leaf, of the documents and of its parts.
    const guesses = [
      ...[16, 0].map((length) => encodeBase64url(new Uint8Array(length))).map((guess) => ({ ...known, salt: guess })),
      { ...known, salt: undefined },
      { anchorId, root, epoch, hashAlg, createdAt },
      { owner, attestations },
      { root },
      { anchorId },
      { owner, root, epoch },
    ]
    const hashes = guesses.flatMap((guess) =>
      ['svc/anchor-body/v1', 'svc/anchor-attestations/v1', 'svc/anchor-id/v1', undefined].map((type) =>
        hashHex(jcsBytes(JSON.parse(JSON.stringify({ type, ...guess })) as Json)),
      ),
    )
    for (const line of lines) for (const hash of hashes) expect(line).not.toContain(hash)
  })
})
