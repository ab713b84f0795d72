import { type AddCheckpoint, parseAddCheckpoint } from '@svc/tlog/add-checkpoint'
import { type TimestampedVerifier, type VerifierKey, verifierOf } from '@svc/tlog/note-keys'
import {
  formatNote,
  type Note,
  type NoteSignature,
  type NoteSigner,
  noteText,
  signatureLine,
  signNote,
  verifyNote,
} from '@svc/tlog/signed-note'
import { decideCheckpoint, type KnownHead, NOTHING_KNOWN, type WitnessRefusal } from '@svc/tlog/witness-rules'
import type { Evidence, WitnessStore } from './witness-store.ts'

/** A log and the keys that it signs with. */
export interface WitnessedLog {
  readonly origin: string
  readonly keys: readonly VerifierKey[]
}

export type WitnessAnswer =
  /** Lines of cosignatures. */
  | { readonly status: 200; readonly lines: string }
  | { readonly status: 409; readonly size: number }
  | { readonly status: 400 | 403 | 404 | 422; readonly fault: string }

export interface WitnessParts {
  readonly store: WitnessStore
  readonly cosigners: readonly NoteSigner[]
  readonly logs: readonly WitnessedLog[]
  readonly now: () => number
  /** Told of each checkpoint that contradicts what was cosigned. */
  readonly onEvidence: (evidence: Evidence) => void
}

/** One witness: it cosigns a checkpoint of a log that it knows if the checkpoint extends the last one that it cosigned. */
export class Witness {
  readonly #parts: WitnessParts
  readonly #logs: ReadonlyMap<string, readonly TimestampedVerifier[]>

  constructor(parts: WitnessParts) {
    this.#parts = parts
    this.#logs = new Map(parts.logs.map(({ origin, keys }) => [origin, keys.map(verifierOf)]))
  }

  /** In the order of c2sp.org/tlog-witness. */
  async addCheckpoint(body: Uint8Array): Promise<WitnessAnswer> {
    const text = noteText(body)
    const request = text === null ? null : parseAddCheckpoint(text)
    if (!request) return { status: 400, fault: 'The request is not of the form of c2sp.org/tlog-witness.' }
    const { note, checkpoint } = request
    const verifiers = this.#logs.get(checkpoint.origin)
    if (!verifiers) return { status: 404, fault: 'This witness does not know the log.' }
    const verified = await verifyNote(note, verifiers)
    if (!verified.ok) return { status: 403, fault: 'No key of the log has signed the checkpoint.' }
    // An ML-DSA-44 cosignature does not cover them, so no two readers would agree on what was cosigned.
    if (checkpoint.extensions.length > 0) return { status: 400, fault: 'Extension lines are not cosigned.' }
    // A first look, so that only what can be cosigned costs signatures.
    const known = this.#parts.store.head(checkpoint.origin)
    const outlook = decideCheckpoint(known ?? NOTHING_KNOWN, request)
    if (!outlook.ok) return this.#refused(outlook.error, request, verified.value)
    return this.#cosigned(request, verified.value)
  }

  /** The newest checkpoint that was cosigned, as a note. */
  checkpoint(origin: string): string | null {
    return this.#logs.has(origin) ? this.#parts.store.checkpoint(origin) : null
  }

  /** The head is stored before the signatures leave; if it has moved in the meantime, they never do. */
  async #cosigned(request: AddCheckpoint, logSignatures: readonly NoteSignature[]): Promise<WitnessAnswer> {
    const { store, cosigners, now } = this.#parts
    const { text } = request.note
    const { signatures } = await signNote(text, cosigners, now())
    const cosigned: Note = { text, signatures: [...logSignatures, ...signatures] }
    const decide = (known: KnownHead | null) => decideCheckpoint(known ?? NOTHING_KNOWN, request)
    const decided = store.advance(request.checkpoint.origin, formatNote(cosigned), decide)
    if (!decided.ok) return this.#refused(decided.error, request, logSignatures)
    return { status: 200, lines: signatures.map((line) => `${signatureLine(line)}\n`).join('') }
  }

  #refused(
    refusal: WitnessRefusal,
    { note: { text }, checkpoint: { origin } }: AddCheckpoint,
    signatures: readonly NoteSignature[],
  ): WitnessAnswer {
    switch (refusal.reason) {
      case 'old_size_too_large':
        return { status: 400, fault: 'The old size is larger than the checkpoint.' }
      case 'stale':
        return { status: 409, size: refusal.size }
      case 'inconsistent': {
        const { store, now, onEvidence } = this.#parts
        const known = store.checkpoint(origin)
        const refused = formatNote({ text, signatures })
        const evidence = { origin, at: now(), known, refused, isFork: refusal.isFork }
        store.keepEvidence(text, evidence)
        onEvidence(evidence)
        return { status: 422, fault: 'The proof does not show that the checkpoint extends the last one.' }
      }
    }
  }
}
