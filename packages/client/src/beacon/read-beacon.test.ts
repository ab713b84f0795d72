import { headsEntry } from '@svc/protocol/merkle/beacon'
import type { ListedBeaconKey } from '@svc/protocol/merkle/listed-keys'
import { checkpointText } from '@svc/tlog/checkpoint'
import { type SigningKey, signingKeyOf } from '@svc/tlog/note-keys'
import { formatNote, SIGNATURE_TYPES, signNote } from '@svc/tlog/signed-note'
import { entryBundle, parseTilePath, TILE_WIDTH, tileBytes } from '@svc/tlog/tiles'
import { parseTlogProof } from '@svc/tlog/tlog-proof'
import { SHA256_TREE } from '@svc/tlog/tree'
import { describe, expect, it } from 'vitest'
import { fetchOf } from '../../test/fetch.ts'
import { Transport } from '../transport/transport.ts'
import { readBeacon } from './read-beacon.ts'

const NOW = 1_790_000_000_000
const KEYS = 'https://keys.svc.example'
const ORIGIN = 'svc.example/beacon/2027a'
const WITNESS = 'witness.example/w'
const heads = [{ log: 'https://svc.example/anchors/2027a', size: 3, root: 'ab'.repeat(48) }]
const { ed25519, ed25519Cosignature, mlDsa44Cosignature } = SIGNATURE_TYPES
const seedOf = (n: number) => new Uint8Array(32).fill(n)
const keys = [await signingKeyOf(ORIGIN, ed25519, seedOf(1)), await signingKeyOf(ORIGIN, mlDsa44Cosignature, seedOf(2))]
const witness = [
  await signingKeyOf(WITNESS, ed25519Cosignature, seedOf(3)),
  await signingKeyOf(WITNESS, mlDsa44Cosignature, seedOf(4)),
]
const stranger = await signingKeyOf(ORIGIN, ed25519, seedOf(9))

interface Served {
  readonly entries: readonly Uint8Array[]
  readonly signers?: readonly SigningKey[]
  /** What the tiles have, if it is not the log that was signed. */
  readonly served?: readonly Uint8Array[]
  readonly change?: (note: string) => string
}

/** A directory with a beacon of these entries, and what was asked of it. */
async function directory({ entries, signers = [...keys, ...witness], served = entries, change }: Served) {
  const root = SHA256_TREE.merkleRoot(entries.map(SHA256_TREE.leafHash))
  const text = checkpointText({ origin: ORIGIN, size: entries.length, root })
  const note = formatNote(await signNote(text, signers, NOW))
  const hashes = served.map(SHA256_TREE.leafHash)
  const asked: string[] = []
  const fetch = fetchOf(async (request) => {
    const path = new URL(request.url).pathname.replace('/api/transparency/beacon', '').slice(1)
    asked.push(path)
    if (path === '') return envelope(described)
    if (path === 'checkpoint') return new Response(change ? change(note) : note)
    const tile = parseTilePath(path)
    if (!tile) return new Response(null, { status: 404 })
    const from = tile.index * TILE_WIDTH
    if (tile.level === 'entries') return bytesOf(entryBundle(served.slice(from, from + tile.width)))
    if (tile.level === 0) return bytesOf(tileBytes(hashes.slice(from, from + tile.width)))
    const roots = Array.from({ length: Math.floor(hashes.length / TILE_WIDTH) }, (_, at) =>
      SHA256_TREE.merkleRoot(hashes.slice(at * TILE_WIDTH, (at + 1) * TILE_WIDTH)),
    )
    return bytesOf(tileBytes(roots.slice(from, from + tile.width)))
  })
  return { asked, transport: new Transport({ realm: 'https://svc.example', fetch, now: () => NOW, retries: false }) }
}

const described = {
  origin: ORIGIN,
  verifierKeys: keys.map(({ verifierKey }) => verifierKey),
  everySeconds: 60,
  witnesses: [{ url: 'https://witness.example', verifierKeys: witness.map(({ verifierKey }) => verifierKey) }],
}
/** What the reader knows from another source. */
const KNOWN = { verifierKeys: described.verifierKeys }
const envelope = (data: unknown) => Response.json({ success: true, data, timestamp: NOW, requestId: 'r' })
const bytesOf = (bytes: Uint8Array) => new Response(new Uint8Array(bytes))
const leaf = (at: number) => new TextEncoder().encode(headsEntry(at, heads))
const leaves = (count: number) => Array.from({ length: count }, (_, i) => leaf(NOW + i))
const reasonOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'read',
    (error: unknown) => (error as { reason?: string }).reason,
  )

describe('the beacon', () => {
  it.each([1, 2, 255, 256, 257, 600])(
    'of %i leaves is read, with its newest leaf and who cosigned it',
    async (count) => {
      const { transport } = await directory({ entries: leaves(count) })
      const reading = await readBeacon(transport, KEYS, KNOWN)
      expect(reading).toMatchObject({ origin: ORIGIN, size: count, at: NOW + count - 1, heads })
      expect(reading.signedBy).toEqual(described.verifierKeys)
      expect(reading.witnesses).toEqual([{ url: 'https://witness.example', hasCosigned: true }])
      expect(reading.note.split('\n').slice(0, 2)).toEqual([ORIGIN, String(count)])
      const proof = parseTlogProof(reading.proof)
      expect([proof?.index, proof?.checkpoint, proof?.extra]).toEqual([count - 1, reading.note, leaf(NOW + count - 1)])
    },
  )

  it('asks for the tiles of a proof and not for all entries', async () => {
    const { transport, asked } = await directory({ entries: leaves(600) })
    await readBeacon(transport, KEYS, KNOWN)
    expect(asked.filter((path) => path.includes('entries'))).toEqual(['tile/entries/002.p/88'])
    expect(asked.length).toBeLessThan(7)
  })

  it('says if a witness has not cosigned with every key', async () => {
    const [first] = witness
    const { transport } = await directory({ entries: leaves(1), signers: [...keys, ...(first ? [first] : [])] })
    expect((await readBeacon(transport, KEYS, KNOWN)).witnesses).toEqual([
      { url: 'https://witness.example', hasCosigned: false },
    ])
  })

  it('is believed by the keys that the reader knows, and by no other', async () => {
    const { transport } = await directory({ entries: leaves(1) })
    const [known = ''] = described.verifierKeys
    expect((await readBeacon(transport, KEYS, { verifierKeys: [known] })).signedBy).toEqual([known])
    expect(await reasonOf(readBeacon(transport, KEYS, { verifierKeys: [stranger.verifierKey] }))).toBe('wrong_key')
    expect(await reasonOf(readBeacon(transport, KEYS, { verifierKeys: ['nonsense'] }))).toBe('wrong_key')
  })

  it('is believed by no key that the service shows alone', async () => {
    const { transport, asked } = await directory({ entries: leaves(1) })
    expect(await reasonOf(readBeacon(transport, KEYS))).toBe('no_key')
    expect(asked).toEqual([])
  })

  it('believes the keys of the signed list for their time alone, whatever key the service shows', async () => {
    const { transport } = await directory({ entries: [leaf(0)] })
    const { at, signedBy } = await readBeacon(transport, KEYS, KNOWN)
    const [known = ''] = signedBy
    const keyOf = (validFrom: number, validUntil: number | null, verifierKey = known) =>
      [{ verifierKey, alg: 'ed25519', validFrom, validUntil }] as const
    const read = (listed: readonly ListedBeaconKey[]) => readBeacon(transport, KEYS, { listed })
    expect((await read(keyOf(at, at + 1))).signedBy).toEqual([known])
    for (const listed of [keyOf(0, at), keyOf(at + 1, null), keyOf(0, null, stranger.verifierKey), []])
      expect(await reasonOf(read(listed))).toBe('wrong_key')
  })

  it.each([
    ['another size', (note: string) => note.replace('\n1\n', '\n2\n'), 'invalid_signature'],
    ['another origin', (note: string) => note.replace(ORIGIN, 'evil.example/beacon'), 'invalid_signature'],
    ['no signature', (note: string) => note.slice(0, note.indexOf('\n\n') + 2), 'malformed'],
    ['no note', () => '<html>', 'malformed'],
  ])('is refused with %s', async (_, change, reason) => {
    const { transport } = await directory({ entries: leaves(1), change })
    expect(await reasonOf(readBeacon(transport, KEYS, KNOWN))).toBe(reason)
  })

  it('is refused with a leaf that was not signed', async () => {
    const entries = leaves(300)
    const served = [...entries.slice(0, -1), leaf(NOW + 9_999)]
    const { transport } = await directory({ entries, served })
    expect(await reasonOf(readBeacon(transport, KEYS, KNOWN))).toBe('not_included')
  })

  it('is refused with a tile that is too short', async () => {
    const { transport } = await directory({ entries: leaves(3), served: leaves(2) })
    expect(await reasonOf(readBeacon(transport, KEYS, KNOWN))).toBe('left_out')
  })

  it('is refused without a leaf, and with one of another form', async () => {
    const empty = await directory({ entries: [] })
    expect(await reasonOf(readBeacon(empty.transport, KEYS, KNOWN))).toBe('empty')
    const other = await directory({ entries: [new TextEncoder().encode('{"kind":"other"}')] })
    expect(await reasonOf(readBeacon(other.transport, KEYS, KNOWN))).toBe('malformed')
  })
})
