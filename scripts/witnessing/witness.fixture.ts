import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addCheckpointText } from '@svc/tlog/add-checkpoint'
import { checkpointText } from '@svc/tlog/checkpoint'
import { parseVerifierKey, type SigningKey, signingKeyOf, type VerifierKey } from '@svc/tlog/note-keys'
import { SIGNATURE_TYPES, signNote } from '@svc/tlog/signed-note'
import { SHA256_TREE } from '@svc/tlog/tree'
import { witnessKeysOf } from './keys.ts'
import { Witness, type WitnessedLog, type WitnessParts } from './witness.ts'
import { WitnessStore } from './witness-store.ts'

export const WITNESS_NAME = 'witness.example/w1'
export const NOW = 1_767_139_200_000
export const keys = await witnessKeysOf(WITNESS_NAME, new Uint8Array(32).fill(0x21))
export const verifierKeyOf = ({ verifierKey }: SigningKey) => parseVerifierKey(verifierKey) as VerifierKey

export const statePath = () => join(mkdtempSync(join(tmpdir(), 'svc-witness-')), 'witness.sqlite')

/** A log in memory, which signs whatever it is told to. */
export class TestLog {
  readonly origin = 'log.example/l1'
  readonly leaves = Array.from({ length: 40 }, (_, i) => SHA256_TREE.leafHash(new Uint8Array([i])))
  readonly signers: readonly SigningKey[]

  private constructor(signers: readonly SigningKey[]) {
    this.signers = signers
  }

  static async create(): Promise<TestLog> {
    const seed = new Uint8Array(32).fill(0x31)
    const types = [SIGNATURE_TYPES.ed25519, SIGNATURE_TYPES.mlDsa44Cosignature]
    return new TestLog(await Promise.all(types.map((type) => signingKeyOf('log.example/l1', type, seed))))
  }

  get listed(): WitnessedLog {
    return { origin: this.origin, keys: this.signers.map(verifierKeyOf) }
  }

  async request(oldSize: number, size: number, leaves = this.leaves): Promise<Uint8Array> {
    const tree = leaves.slice(0, size)
    const proof = oldSize > 0 && oldSize <= size ? SHA256_TREE.consistencyProof(tree, oldSize) : []
    const text = checkpointText({ origin: this.origin, size, root: SHA256_TREE.merkleRoot(tree) })
    return new TextEncoder().encode(
      addCheckpointText({ oldSize, proof, note: await signNote(text, this.signers, NOW) }),
    )
  }

  /** The same log with another leaf at this place. */
  forked(at: number): Uint8Array[] {
    return this.leaves.map((leaf, i) => (i === at ? SHA256_TREE.leafHash(new Uint8Array([99, i])) : leaf))
  }
}

export function witnessOver(path: string, logs: readonly WitnessedLog[], parts: Partial<WitnessParts> = {}) {
  const store = new WitnessStore(path)
  const witness = new Witness({
    store,
    cosigners: keys.cosigners,
    logs,
    now: () => NOW,
    onEvidence: () => {},
    ...parts,
  })
  return { store, witness }
}
