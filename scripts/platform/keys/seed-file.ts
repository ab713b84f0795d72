import { readFileSync, statSync } from 'node:fs'
import { resolveFromCaller, SetupError } from '../workspace.ts'

/**
 * A seed from a file: 64 lowercase hex characters. Never from the environment or the command line, which other processes
 * and the history of a shell can show. A pipe does too: `--seed <(pass show operator)`.
 */
export function readSeed(file: string): Uint8Array<ArrayBuffer> {
  const text = readPrivateFile(file).trim()
  if (!/^[0-9a-f]{64}$/.test(text)) throw new SetupError(`${file} must contain 64 lowercase hex characters.`)
  return new Uint8Array(Buffer.from(text, 'hex'))
}

/** The file that an option names, or else a variable; undefined if neither does. */
export function seedFileOf(option: string | undefined, variable: `${string}_SEED_FILE`): string | undefined {
  return option ?? process.env[variable]
}

/** The text of a file, or of a pipe, that nobody else can read. */
export function readPrivateFile(file: string): string {
  const path = resolveFromCaller(file)
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new SetupError(`There is no file ${file}.`)
  if (found.isFile() && (found.mode & 0o077) !== 0) {
    throw new SetupError(`Others can read ${file}. Allow only yourself to: chmod 600 ${file}`)
  }
  return readFileSync(path, 'utf8')
}
