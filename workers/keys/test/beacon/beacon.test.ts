import { env } from 'cloudflare:workers'
import { headsEntrySchema } from '@svc/protocol/merkle/beacon'
import { parseCheckpoint } from '@svc/tlog/checkpoint'
import { parseVerifierKey, verifierOf } from '@svc/tlog/note-keys'
import { parseNote, verifyNote } from '@svc/tlog/signed-note'
import { bundleEntries, tileHashes } from '@svc/tlog/tiles'
import { SHA256_TREE } from '@svc/tlog/tree'
import { describe, expect, it } from 'vitest'
import { BEACON_MS } from '../../src/beacon/beacon.ts'
import { BeaconFiles } from '../../src/beacon/files.ts'
import { beaconHeadKey } from '../../src/object-keys.ts'
import { ED25519_ONLY, TestBeacon, TestWitness } from './beacon.fixture.ts'

const textOf = (note: string | undefined) => parseNote(note ?? '')?.text
const sizeOf = (note: string | undefined) => parseCheckpoint(textOf(note) ?? '')?.size
const verifiersOf = (keys: readonly { readonly verifierKey: string }[]) =>
  keys.map(({ verifierKey }) => verifierOf(parseVerifierKey(verifierKey)!))

async function cosignedBy(witness: TestWitness, note: string | undefined): Promise<number> {
  const verified = await verifyNote(parseNote(note ?? '')!, verifiersOf(witness.keys))
  return verified.ok ? verified.value.length : 0
}

describe('the beacon', () => {
  it('adds a leaf a minute, and signs it with both keys', async () => {
    const beacon = await TestBeacon.create()
    const notes = await beacon.grow(3)
    expect(notes.map(sizeOf)).toEqual([1, 2, 3])
    for (const note of notes)
      expect(await verifyNote(parseNote(note)!, verifiersOf(beacon.keys))).toMatchObject({ value: { length: 2 } })
    await beacon.run(async (again) => {
      await again.turn()
      expect(again.published()).toBe(notes[2])
      beacon.now += BEACON_MS - 1
      await again.turn()
      expect(sizeOf(again.published() ?? '')).toBe(3)
    })
  })

  it('does not exist without a key', async () => {
    const beacon = await TestBeacon.create()
    await beacon.run(
      async (without) => {
        await without.turn()
        expect(without.published()).toBeNull()
        expect(await without.tile({ level: 0, index: 0, width: 1 })).toBeNull()
      },
      { signers: async () => [] },
    )
  })

  it('adds one leaf when 20 ask at once', async () => {
    const beacon = await TestBeacon.create()
    beacon.now += BEACON_MS
    const sizes = await Promise.all(
      // Each has its own memory, as two objects of one name would have for a moment.
      Array.from({ length: 20 }, () =>
        beacon.run(async (racer) => {
          await racer.turn().catch(() => {})
          return sizeOf(racer.published() ?? '')
        }),
      ),
    )
    expect(new Set(sizes.filter((size) => size !== undefined))).toEqual(new Set([1]))
    expect(sizeOf((await beacon.grow(1))[0])).toBe(2)
  })
})

describe('a beacon that is turned back', () => {
  it('takes the leaves that were decided, and signs no other history', async () => {
    const beacon = await TestBeacon.create()
    await beacon.grow(2)
    const earlier = await beacon.run(async (_, sql) => ({
      head: sql.exec('SELECT size, at, edge FROM head').one(),
      published: sql.exec('SELECT size, note FROM published').one(),
    }))
    const [, , last] = await beacon.grow(3)
    await beacon.run(async (_, sql) => {
      sql.exec('UPDATE head SET size = ?, at = ?, edge = ?', ...Object.values(earlier.head))
      sql.exec('UPDATE published SET size = ?, note = ?', ...Object.values(earlier.published))
      sql.exec('DELETE FROM tail WHERE idx >= 2')
    })
    // Other heads of logs, as after a restore: they must not replace what was decided.
    beacon.heads = []
    await beacon.run(async (again) => {
      await again.turn()
      expect(textOf(again.published() ?? '')).toBe(textOf(last))
    })
    expect((await beacon.grow(1)).map(sizeOf)).toEqual([6])
  })

  it('stops at a head that does not follow from its leaves', async () => {
    const beacon = await TestBeacon.create()
    const last = (await beacon.grow(2)).at(-1)
    const files = new BeaconFiles(env.TILES, beacon.origin)
    const head = await files.head(1)
    await env.TILES.put(beaconHeadKey(beacon.origin, 2), JSON.stringify(head))
    beacon.now += BEACON_MS
    await beacon.run(async (again) => {
      await expect(again.turn()).rejects.toThrow()
      expect(again.published()).toBe(last)
    })
  })
})

describe('a crash of the beacon', () => {
  class DyingFiles extends BeaconFiles {
    override async decide(...head: Parameters<BeaconFiles['decide']>): Promise<boolean> {
      await super.decide(...head)
      throw new Error('killed')
    }
  }

  it('after the decision leads to the leaf that was decided', async () => {
    const beacon = await TestBeacon.create()
    await beacon.grow(1)
    beacon.now += BEACON_MS
    const files = new DyingFiles(env.TILES, beacon.origin)
    await beacon.run(async (dying) => expect(dying.turn()).rejects.toThrow('killed'), { files })
    const decided = await files.head(1)
    beacon.heads = []
    beacon.now += 1
    await beacon.run(async (again) => {
      await again.turn()
      expect(textOf(again.published() ?? '')).toBe(decided?.text)
    })
  })

  it('after the commit publishes the same head', async () => {
    const beacon = await TestBeacon.create()
    await beacon.grow(1)
    beacon.now += BEACON_MS
    const signers = async () => [{ ...beacon.keys[0]!, sign: async () => Promise.reject(new Error('killed')) }]
    await beacon.run(async (dying) => expect(dying.turn()).rejects.toThrow('killed'), { signers })
    await beacon.run(async (again) => {
      await again.turn()
      expect(sizeOf(again.published() ?? '')).toBe(2)
    })
  })
})

describe('witnesses of the beacon', () => {
  const witnessed = async () => {
    const [beacon, witness] = await Promise.all([TestBeacon.create(ED25519_ONLY), TestWitness.create()])
    beacon.witnesses.set(witness.url, witness.client())
    return { beacon, witness, cosigned: (note: string | undefined) => cosignedBy(witness, note) }
  }

  it('cosign each checkpoint, which is published with their lines', async () => {
    const { beacon, witness, cosigned } = await witnessed()
    for (const note of await beacon.grow(4)) expect(await cosigned(note)).toBe(2)
    expect(witness.requests).toEqual([0, 1, 2, 3])
    expect(beacon.faults).toEqual([])
  })

  it('that are down or lie cost their lines only', async () => {
    const { beacon, witness, cosigned } = await witnessed()
    // Lines by a key that is not a witness.
    const other = (await (await TestBeacon.create()).grow(1))[0]?.split('\n\n')[1]
    const answers: [() => Response | Promise<Response>, string][] = [
      [() => Promise.reject(new TypeError('down')), 'TypeError'],
      [() => new Response('no', { status: 503 }), 'status 503'],
      [() => new Response('nonsense\n', { status: 409 }), 'malformed'],
      [() => new Response('nonsense\n'), 'no valid cosignature'],
      [() => new Response(other), 'no valid cosignature'],
      [() => new Response(new Uint8Array(400_000)), 'RangeError'],
      [() => new Response('999\n', { status: 409 }), 'ahead'],
    ]
    for (const [answer, fault] of answers) {
      witness.answer = answer
      const [note] = await beacon.grow(1)
      expect(await cosigned(note)).toBe(0)
      expect(await verifyNote(parseNote(note ?? '')!, verifiersOf(beacon.keys))).toMatchObject({ ok: true })
      expect(beacon.faults.pop()).toBe(`${witness.url} ${fault}`)
    }
    witness.answer = null
    expect(await cosigned((await beacon.grow(1))[0])).toBe(2)
  })
})

/** In this order: one log of 261 leaves, which takes a while. */
describe('a beacon of more than one tile', async () => {
  const beacon = await TestBeacon.create(ED25519_ONLY)

  it('that crashes while a tile is written writes the same tile', async () => {
    await beacon.grow(255)
    beacon.now += BEACON_MS
    class NoTiles extends BeaconFiles {
      override async putTile(): Promise<void> {
        throw new Error('killed')
      }
    }
    const files = new NoTiles(env.TILES, beacon.origin)
    await beacon.run(async (dying) => expect(dying.turn()).rejects.toThrow('killed'), { files })
    await beacon.run(async (again) => {
      await again.turn()
      expect(sizeOf(again.published() ?? '')).toBe(256)
      expect(await again.tile({ level: 0, index: 0, width: 256 })).toHaveLength(8_192)
      expect(bundleEntries((await again.tile({ level: 'entries', index: 0, width: 256 }))!)).toHaveLength(256)
    })
  })
  it('serves tiles and entries that lead to its root, also those of earlier checkpoints', async () => {
    const notes = await beacon.grow(3)
    await beacon.run(async (again) => {
      const tile = async (level: number | 'entries', index: number, width: number) =>
        (await again.tile({ level, index, width })) ?? new Uint8Array()
      const full = bundleEntries(await tile('entries', 0, 256)) ?? []
      const rest = bundleEntries(await tile('entries', 1, 3)) ?? []
      const leaves = [...full, ...rest].map(SHA256_TREE.leafHash)
      expect(leaves).toHaveLength(259)
      for (const [i, note] of notes.entries())
        expect(parseCheckpoint(textOf(note) ?? '')).toMatchObject({
          size: 257 + i,
          root: SHA256_TREE.merkleRoot(leaves.slice(0, 257 + i)),
        })
      expect(tileHashes(await tile(0, 0, 256))).toEqual(leaves.slice(0, 256))
      expect(tileHashes(await tile(0, 1, 3))).toEqual(leaves.slice(256))
      expect(tileHashes(await tile(1, 0, 1))).toEqual([SHA256_TREE.merkleRoot(leaves.slice(0, 256))])
      // As of a checkpoint with 100 leaves.
      expect(tileHashes(await tile(0, 0, 100))).toEqual(leaves.slice(0, 100))
      expect(bundleEntries(await tile('entries', 0, 100))).toEqual(full.slice(0, 100))
      for (const [level, index, width] of [
        [0, 1, 4],
        [0, 2, 1],
        [1, 0, 2],
        [2, 0, 1],
        ['entries', 1, 256],
      ] as const)
        expect(await again.tile({ level, index, width })).toBeNull()
      const entry = headsEntrySchema.parse(JSON.parse(new TextDecoder().decode(rest.at(-1))))
      expect(entry).toEqual({ kind: 'heads', at: beacon.now, heads: beacon.heads })
    })
  })

  it('brings a witness to the newest checkpoint, whatever size it has', async () => {
    const witness = await TestWitness.create()
    beacon.witnesses.set(witness.url, witness.client())
    expect(await cosignedBy(witness, (await beacon.grow(1))[0])).toBe(2)
    // Cosigned elsewhere, or its answer was lost.
    await beacon.run(async (_, sql) => sql.exec('UPDATE witnesses SET size = 7'))
    expect(await cosignedBy(witness, (await beacon.grow(1))[0])).toBe(2)
    expect(witness.requests).toEqual([0, 7, 260])
  })

  it('is rebuilt from R2 if its object lost everything', async () => {
    const last = (await beacon.grow(1))[0]
    await beacon.run(async (_, sql) => {
      for (const table of ['head', 'tail', 'published', 'witnesses']) sql.exec(`DELETE FROM ${table}`)
    })
    await beacon.run(async (again) => {
      // Bounded per call.
      expect(await again.turn()).toBe(false)
      expect(again.published()).toBeNull()
      expect(await again.turn()).toBe(true)
      expect(textOf(again.published() ?? '')).toBe(textOf(last))
    })
  })
})
