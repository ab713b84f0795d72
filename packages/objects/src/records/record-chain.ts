import { missing, RecordFault } from './record-fault.ts'
import type { ReadFile, RecordFiles } from './record-files.ts'

/** The end of an object's chain of records. */
export interface ChainEnd {
  /** The newest record that completes a state. Later ones belong to a state that was never finished. */
  readonly last: ReadFile
  readonly newest: ReadFile
}

/** The chain of an object's records: each record has the hash of the previous file. */
export class RecordChain {
  readonly #files: RecordFiles
  readonly #name: string

  constructor(files: RecordFiles, name: string) {
    this.#files = files
    this.#name = name
  }

  /** Null if there is no whole state. Rejects if a record is missing, unreadable or out of place. */
  async end(sequences: readonly number[]): Promise<ChainEnd | null> {
    let newest: ReadFile | null = null
    let after: ReadFile | null = null
    for (const sequence of sequences.toReversed()) {
      if (after && after.record.sequence !== sequence + 1) throw missing(sequence + 1)
      const file = await this.#files.required(this.#name, sequence)
      newest ??= file
      if (after) expectFollows(after, file)
      if (file.record.isWhole) return { last: file, newest }
      after = file
    }
    return null
  }

  /** The records that make up the state of `last`, in order. Rejects for the same reasons as `end`. */
  async *upTo(last: ReadFile): AsyncGenerator<ReadFile, void> {
    const { base, sequence: end } = last.record
    let before: ReadFile | null = null
    for (let sequence = base; sequence <= end; sequence++) {
      const file: ReadFile = sequence === end ? last : await this.#files.required(this.#name, sequence)
      if (before) expectFollows(file, before)
      if (file.record.base !== base) throw new RecordFault(`Record ${sequence} goes with another base than ${base}`)
      yield file
      before = file
    }
  }
}

function expectFollows({ record }: ReadFile, before: ReadFile): void {
  if (record.previous === before.hash) return
  const { sequence } = before.record
  throw new RecordFault(`Record ${record.sequence} does not follow record ${sequence}: one of the two is another file`)
}
