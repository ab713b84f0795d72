import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Sql } from '@svc/objects'
import type { OpenHead } from '@svc/protocol/merkle/beacon'
import { parseAddCheckpoint } from '@svc/tlog/add-checkpoint'
import { type SigningKey, signingKeyOf } from '@svc/tlog/note-keys'
import { SIGNATURE_TYPES, type SignatureType, signatureLine, signNote } from '@svc/tlog/signed-note'
import { decideCheckpoint, type KnownHead, NOTHING_KNOWN } from '@svc/tlog/witness-rules'
import { BEACON_MS, Beacon, type BeaconParts } from '../../src/beacon/beacon.ts'
import { BeaconFiles } from '../../src/beacon/files.ts'
import { WitnessClient } from '../../src/beacon/witness-client.ts'

export const ROOT = 'ab'.repeat(48)
const BOTH = [SIGNATURE_TYPES.ed25519, SIGNATURE_TYPES.mlDsa44Cosignature]
/** For logs of hundreds of leaves. */
export const ED25519_ONLY = [SIGNATURE_TYPES.ed25519]
const seed = new Uint8Array(32).fill(0x41)

/** A beacon of a test's own, in an object of its own, with a clock that the test moves. */
export class TestBeacon {
  readonly origin: string
  readonly keys: readonly SigningKey[]
  readonly faults: string[] = []
  readonly witnesses = new Map<string, WitnessClient>()
  heads: OpenHead[] = [{ log: 'https://a.test/anchors/2027a', size: 1, root: ROOT }]
  now = 1_800_000_000_000

  private constructor(origin: string, keys: readonly SigningKey[]) {
    this.origin = origin
    this.keys = keys
  }

  /** ML-DSA-44 in JavaScript takes most of the time of a long log. */
  static async create(types: readonly SignatureType[] = BOTH): Promise<TestBeacon> {
    const origin = `a.test/${crypto.randomUUID()}`
    return new TestBeacon(origin, await Promise.all(types.map((type) => signingKeyOf(origin, type, seed))))
  }

  /** Work with a beacon that starts as an object does: with what is stored, and nothing in memory. */
  run<T>(work: (beacon: Beacon, sql: Sql) => Promise<T>, parts: Partial<BeaconParts> = {}): Promise<T> {
    return runInDurableObject(env.BEACON.getByName(this.origin), ({ stored }) =>
      work(
        new Beacon({
          origin: this.origin,
          stored,
          files: new BeaconFiles(env.TILES, this.origin),
          signers: async () => this.keys,
          openHeads: async () => this.heads,
          witnesses: this.witnesses,
          now: () => this.now,
          onFault: (url, reason) => this.faults.push(`${url} ${reason}`),
          ...parts,
        }),
        stored.sql,
      ),
    )
  }

  /** Leaves, a minute apart. Returns the checkpoints that were published. */
  async grow(leaves: number): Promise<string[]> {
    return this.run(async (beacon) => {
      const published: string[] = []
      for (let i = 0; i < leaves; i++) {
        this.now += BEACON_MS
        await beacon.turn()
        published.push(beacon.published() ?? '')
      }
      return published
    })
  }
}

/** A witness in memory, behind the `fetch` of a beacon. */
export class TestWitness {
  readonly url = 'https://witness.test/w1'
  readonly keys: readonly SigningKey[]
  known: KnownHead = NOTHING_KNOWN
  /** What it answers instead, if anything. */
  answer: (() => Response | Promise<Response>) | null = null
  readonly requests: number[] = []

  private constructor(keys: readonly SigningKey[]) {
    this.keys = keys
  }

  static async create(): Promise<TestWitness> {
    const types = [SIGNATURE_TYPES.ed25519Cosignature, SIGNATURE_TYPES.mlDsa44Cosignature]
    return new TestWitness(await Promise.all(types.map((type) => signingKeyOf('witness.test/w1', type, seed))))
  }

  client(): WitnessClient {
    const verifierKeys = this.keys.map(({ verifierKey }) => verifierKey)
    return new WitnessClient({ url: this.url, verifierKeys }, (url, init) => this.#fetch(url, init))
  }

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const request = parseAddCheckpoint(typeof init.body === 'string' ? init.body : '')
    if (url !== `${this.url}/add-checkpoint` || !request) return new Response(null, { status: 400 })
    this.requests.push(request.oldSize)
    if (this.answer) return this.answer()
    const decided = decideCheckpoint(this.known, request)
    if (!decided.ok)
      return decided.error.reason === 'stale'
        ? new Response(`${decided.error.size}\n`, { status: 409, headers: { 'content-type': 'text/x.tlog.size' } })
        : new Response(null, { status: 422 })
    this.known = decided.value
    const { signatures } = await signNote(request.note.text, this.keys, 1_800_000_000_000)
    return new Response(signatures.map((line) => `${signatureLine(line)}\n`).join(''))
  }
}
