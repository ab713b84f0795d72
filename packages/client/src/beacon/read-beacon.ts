import { encodeBase64url } from '#protocol/base/base64url'
import { covers } from '#protocol/http/service-keys'
import { type BeaconDescription, beaconSchema, type HeadsEntry, headsEntrySchema } from '#protocol/merkle/beacon'
import type { ListedBeaconKey } from '#protocol/merkle/listed-keys'
import { type Checkpoint, parseCheckpoint } from '#tlog/checkpoint'
import { inclusionOverTiles } from '#tlog/edge'
import { parseVerifierKey, verifierOf } from '#tlog/note-keys'
import { type Note, noteText, parseNote, verifyNote } from '#tlog/signed-note'
import { bundleEntries, TILE_WIDTH, type TilePath, tileHashes, tilePath, widthIn } from '#tlog/tiles'
import { tlogProofText } from '#tlog/tlog-proof'
import { SHA256_TREE } from '#tlog/tree'
import { checkCall } from '../arguments/check.ts'
import { readBytes } from '../transport/guarded-body.ts'
import type { Transport } from '../transport/transport.ts'
import { jsonIn } from '../verification/read-content.ts'
import { unverified } from '../verification/verification-error.ts'

export interface BeaconOptions {
  /** Verifier keys of the beacon that you know from another source, as `name+id+key`. */
  readonly verifierKeys?: readonly string[]
  /**
   * `beacon` of the signed list: the keys that count when the newest leaf was made must have signed. Without these and
   * without `verifierKeys`, nothing is verified.
   */
  readonly listed?: readonly ListedBeaconKey[]
}

export interface BeaconWitness {
  readonly url: string
  /** Whether every key that the service lists for the witness has cosigned this checkpoint. */
  readonly hasCosigned: boolean
}

/** A checkpoint of the beacon whose signatures and newest leaf were verified. */
export interface BeaconReading {
  /** The first line of the checkpoint: namespace, `/beacon/` and the period. */
  readonly origin: string
  /** How many leaves the beacon has. */
  readonly size: number
  /** SHA-256 root, base64url. */
  readonly rootB64u: string
  /** Verifier keys of the beacon that signed. */
  readonly signedBy: readonly string[]
  readonly witnesses: readonly BeaconWitness[]
  /** When the newest leaf was made, epoch milliseconds, by the clock of the service. */
  readonly at: number
  /** Every open log that answered then, with its size and root. */
  readonly heads: HeadsEntry['heads']
  /** The checkpoint as it came: a signed note. */
  readonly note: string
  /** The same with its newest leaf and the path from it, in the form of c2sp.org/tlog-proof: what to keep or to show. */
  readonly proof: string
}

/**
 * Reads the newest checkpoint of the beacon, verifies its signatures, who cosigned it, and that its newest leaf is in it.
 * `keys` is the origin of the key directory. Throws a `VerificationError`, with reason `no_key` without keys to verify it
 * with, and `ServiceError` 503 `log_unavailable` where
 * there is no beacon.
 */
export async function readBeacon(
  transport: Transport,
  keys: string,
  options: BeaconOptions = {},
): Promise<BeaconReading> {
  checkCall(
    'readBeacon',
    [transport, keys, options],
    ['transport', 'keys', ['options?', { verifierKeys: 0, listed: 0 }]],
  )
  const { listed, verifierKeys = listed?.map((key) => key.verifierKey) } = options
  if (!verifierKeys)
    throw unverified('beacon', 'no_key', 'Nothing says which keys the beacon has: pass `listed` or `verifierKeys`')
  const base = `${keys}/api/transparency/beacon`
  const described = await transport.data({ method: 'GET', url: base }, beaconSchema)
  const read = async (path: string) => bytesAt(transport, `${base}/${path}`)
  const text = noteText(await read('checkpoint'))
  const note = text === null ? null : parseNote(text)
  const checkpoint = note && parseCheckpoint(note.text)
  if (text === null || !note || !checkpoint)
    throw unverified('beacon', 'malformed', 'The checkpoint is not a signed note')
  const signers = await signersOf(note, verifierKeys)
  const unsigned = () => unverified('beacon', 'wrong_key', 'No expected key signed the checkpoint', { evidence: text })
  if (signers.length === 0) throw unsigned()
  const { entry, path } = await newestLeaf(checkpoint, read)
  const { at, heads } = leafIn(checkpoint, { entry, index: checkpoint.size - 1, path })
  const isInTime = (one: string) => listed?.some((key) => key.verifierKey === one && covers(key, at)) ?? true
  const signedBy = options.verifierKeys ? signers : signers.filter(isInTime)
  if (signedBy.length === 0) throw unsigned()
  const { origin, size, root } = checkpoint
  const witnesses = await Promise.all(described.witnesses.map(async (witness) => asked(note, witness)))
  const proof = tlogProofText({ extra: entry, index: size - 1, path, checkpoint: text })
  return { origin, size, rootB64u: encodeBase64url(root), signedBy, witnesses, at, heads, note: text, proof }
}

type Read = (path: string) => Promise<Uint8Array>

/** The newest entry as it is served, and the path from it to the root. */
async function newestLeaf({ size }: Checkpoint, read: Read): Promise<Pick<ShownLeaf, 'entry' | 'path'>> {
  if (size === 0) throw unverified('beacon', 'empty', 'The beacon has no leaf yet')
  const place = (level: TilePath['level'], index: number) =>
    tilePath({ level, index, width: widthIn(size, { level, index }) })
  const index = size - 1
  const entries = bundleEntries(await read(place('entries', Math.floor(index / TILE_WIDTH))))
  const entry = entries?.[index % TILE_WIDTH]
  if (!entry) throw unverified('beacon', 'left_out', 'The newest leaf is missing')
  const path = await inclusionOverTiles(index, size, async (level, tile) => tileHashes(await read(place(level, tile))))
  return { entry, path }
}

interface ShownLeaf {
  readonly entry: Uint8Array
  readonly index: number
  readonly path: readonly Uint8Array[]
}

/** What a leaf says, which must be the newest of the checkpoint: one that is not in the tree was not signed. */
export function leafIn({ size, root }: Checkpoint, { entry, index, path }: ShownLeaf): HeadsEntry {
  const isNewest = index === size - 1
  if (!isNewest || !SHA256_TREE.verifyInclusion(SHA256_TREE.leafHash(entry), index, size, path, root))
    throw unverified('beacon', 'not_included', 'The newest leaf is not in the checkpoint')
  const parsed = headsEntrySchema.safeParse(jsonIn(entry))
  if (parsed.success) return parsed.data
  throw unverified('beacon', 'malformed', 'The newest leaf does not have the documented form')
}

async function asked(
  note: Note,
  { url, verifierKeys }: BeaconDescription['witnesses'][number],
): Promise<BeaconWitness> {
  const signed = await signersOf(note, verifierKeys)
  return { url, hasCosigned: verifierKeys.length > 0 && signed.length === verifierKeys.length }
}

/** The given keys that signed. One false signature by one of them condemns the note. */
export async function signersOf(note: Note, verifierKeys: readonly string[]): Promise<string[]> {
  const known = verifierKeys.flatMap((text) => {
    const key = parseVerifierKey(text)
    return key ? [{ text, verifier: verifierOf(key) }] : []
  })
  const verified = await verifyNote(
    note,
    known.map(({ verifier }) => verifier),
  )
  if (!verified.ok) {
    if (verified.error === 'unverified') return []
    throw unverified('beacon', 'invalid_signature', 'A known key did not sign this checkpoint', { evidence: note.text })
  }
  const isBy = ({ name, keyId }: { readonly name: string; readonly keyId: number }) =>
    verified.value.some((one) => one.name === name && one.keyId === keyId)
  return known.flatMap(({ text, verifier }) => (isBy(verifier) ? [text] : []))
}

async function bytesAt(transport: Transport, url: string): Promise<Uint8Array> {
  const response = await transport.send({ method: 'GET', url })
  return readBytes(response)
}
