import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleCommandLine } from '@svc/platform/callers/command-line'
import { capture } from '@svc/platform/command'
import { expect } from 'vitest'
import { PASSPHRASE } from '../../../packages/cli/test/svc.ts'
import { KeptResults } from './kept-results.ts'

/**
 * Confirms everything, and has the passphrase at hand: a person at a terminal is asked instead. Keeps what was typed and
 * printed in a folder.
 */
const svcOf = (program: string, results: string) => `#!/bin/sh
kept=$(mktemp '${results}/XXXXXXXX')
printf '%s\\n' "$@" >"$kept.words"
ended=0
'${process.execPath}' --disable-warning=ExperimentalWarning '${program}' "$@" --yes --passphrase-fd 9 9<"$HOME/passphrase.txt" >"$kept" || ended=$?
cat "$kept"
exit "$ended"
`

const WITHOUT_XDG = { XDG_DATA_HOME: '', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }

export interface Printed {
  readonly code: number
  readonly output: string
}

/** People who type commands into a shell, each in a folder of their own. */
export class Shells {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-shell-'))

  async open(): Promise<void> {
    mkdirSync(join(this.#folder, 'bin'))
    mkdirSync(join(this.#folder, 'results'))
    const program = await bundleCommandLine(join(this.#folder, 'program'))
    writeFileSync(join(this.#folder, 'bin/svc'), svcOf(program, join(this.#folder, 'results')))
    chmodSync(join(this.#folder, 'bin/svc'), 0o755)
  }

  pathOf(person: string, file = ''): string {
    const home = join(this.#folder, person)
    mkdirSync(home, { recursive: true })
    return join(home, file)
  }

  write(person: string, file: string, content: string | Uint8Array): void {
    writeFileSync(this.pathOf(person, file), content)
  }

  read(person: string, file: string): string {
    return readFileSync(this.pathOf(person, file), 'utf8')
  }

  hand(file: string, from: string, to: string): void {
    copyFileSync(this.pathOf(from, file), this.pathOf(to, file))
  }

  async type(person: string, line: string): Promise<Printed> {
    const home = this.pathOf(person)
    this.write(person, 'passphrase.txt', PASSPHRASE)
    const env = { HOME: home, PATH: `${join(this.#folder, 'bin')}:${process.env['PATH'] ?? ''}`, ...WITHOUT_XDG }
    return capture('sh', ['-c', `cd "$HOME" && ${line}`], env)
  }

  /** The JSON of a command that must succeed. */
  async json<T>(person: string, line: string, expected = 0): Promise<T> {
    const { code, output } = await this.type(person, `${line} --json 2>>errors.txt`)
    expect(code, `${line}: ${output}`).toBe(expected)
    return JSON.parse(output) as T
  }

  /** Removes everything, if each result with `--json` had its documented form. */
  remove(): void {
    expect(new KeptResults(join(this.#folder, 'results')).faults()).toEqual([])
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
