import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandIn, faultOfResult } from '../../../packages/cli/test/documented-results.ts'

interface Kept {
  readonly words: readonly string[]
  readonly stdout: string
}

/** What `svc` printed in a shell: a file for each command, and one with `.words`, the words that were typed. */
export class KeptResults {
  readonly #all: readonly Kept[]

  constructor(folder: string) {
    this.#all = readdirSync(folder)
      .filter((name) => name.endsWith('.words'))
      .map((name) => ({
        words: readFileSync(join(folder, name), 'utf8').trimEnd().split('\n'),
        stdout: readFileSync(join(folder, name.replace(/\.words$/, '')), 'utf8'),
      }))
  }

  /** Those with `--json` that do not have the form which the page of results documents. */
  faults(): string[] {
    return this.#all.flatMap(({ words, stdout }) => faultOfResult(words, stdout) ?? [])
  }

  /** The commands that printed a result with `--json`. */
  commands(): Set<string> {
    const printed = this.#all.filter(({ words, stdout }) => words.includes('--json') && stdout !== '')
    return new Set(printed.flatMap(({ words }) => commandIn(words)?.path ?? []))
  }
}
