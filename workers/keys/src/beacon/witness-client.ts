import { addCheckpointText } from '@svc/tlog/add-checkpoint'
import { parseSize } from '@svc/tlog/checkpoint'
import { parseVerifierKey, verifierOf } from '@svc/tlog/note-keys'
import { type Note, type NoteSignature, noteText, parseSignatureLines, verifyNote } from '@svc/tlog/signed-note'
import type { BeaconWitness } from './config.ts'

/** The checkpoint waits for the slowest witness, once a minute. */
const TIMEOUT_MS = 5_000
/** 64 lines of 5 kB. */
const MAX_ANSWER_BYTES = 320 * 1024

export interface Cosigned {
  /** The size that the witness has now. */
  readonly size: number
  /** Its verified lines; none if it did not cosign. */
  readonly signatures: readonly NoteSignature[]
  /** Why it did not, for the operator. */
  readonly fault?: string
}

interface Submission {
  readonly note: Note
  readonly size: number
  /** What the witness was last known to have. */
  readonly known: number
  readonly proofFrom: (size: number) => Promise<readonly Uint8Array[]>
}

/** One witness, as c2sp.org/tlog-witness describes it. Never throws: a witness that is down costs its line only. */
export class WitnessClient {
  readonly #witness: BeaconWitness
  readonly #fetch: (url: string, init: RequestInit) => Promise<Response>

  constructor(witness: BeaconWitness, fetch: (url: string, init: RequestInit) => Promise<Response>) {
    this.#witness = witness
    this.#fetch = fetch
  }

  async cosign(submission: Submission): Promise<Cosigned> {
    try {
      const first = await this.#add(submission, Math.min(submission.known, submission.size))
      // It has another size than we remember: it says which, and is asked once more.
      const isStale = first.fault === 'stale' && first.size <= submission.size
      return isStale ? await this.#add(submission, first.size) : first
    } catch (error) {
      return { size: submission.known, signatures: [], fault: error instanceof Error ? error.name : 'fault' }
    }
  }

  async #add({ note, size, known, proofFrom }: Submission, oldSize: number): Promise<Cosigned> {
    const response = await this.#fetch(`${this.#witness.url}/add-checkpoint`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: addCheckpointText({ oldSize, proof: await proofFrom(oldSize), note }),
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const text = noteText(await bounded(response))
    if (response.status === 409) {
      const has = text === null ? null : parseSize(text.trimEnd())
      return has === null
        ? { size: known, signatures: [], fault: 'malformed' }
        : { size: has, signatures: [], fault: has > size ? 'ahead' : 'stale' }
    }
    if (response.status !== 200) return { size: known, signatures: [], fault: `status ${response.status}` }
    const signatures = await this.#verified(note.text, text)
    return signatures.length === 0 ? { size: known, signatures, fault: 'no valid cosignature' } : { size, signatures }
  }

  /** Its lines by the configured keys; a line without a time says nothing about when. */
  async #verified(text: string, lines: string | null): Promise<readonly NoteSignature[]> {
    const signatures = lines === null ? null : parseSignatureLines(lines)
    if (!signatures) return []
    const verifiers = this.#witness.verifierKeys.flatMap((key) => parseVerifierKey(key) ?? []).map(verifierOf)
    const verified = await verifyNote({ text, signatures }, verifiers)
    if (!verified.ok) return []
    return verified.value.filter(({ name, keyId, signature }) =>
      verifiers.some(
        (verifier) => verifier.name === name && verifier.keyId === keyId && verifier.timestampOf(signature) !== null,
      ),
    )
  }
}

async function bounded(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  const body: AsyncIterable<Uint8Array> | null = response.body
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) throw new RangeError('the answer of a witness is too long')
    chunks.push(chunk)
  }
  const bytes = new Uint8Array(length)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.length
  }
  return bytes
}
